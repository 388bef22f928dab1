import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tellEngine } from '../agent/run/tell-engine.ts';
import { createPostJson } from '../post-json.ts';
import { checkEngine } from './check-engine.ts';
import { askEngine, openAnswer } from './engine-request.ts';

let folder: string;
let engine: string;
let servers: Server[];
let sockets: Set<Socket>;
let says: (socket: Socket) => void;

/** What listens there says what the test wants, whatever it is asked. */
async function listen(at: string | number): Promise<Server> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => says(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, resolve));
  return server;
}

beforeEach(async () => {
  [servers, sockets] = [[], new Set()];
  folder = mkdtempSync(join(tmpdir(), 'clawrden-engine-'));
  await listen(join(folder, 'engine.sock'));
  engine = `unix://${folder}/engine.sock`;
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const switches = (socket: Socket) =>
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: any\r\n\r\n');

/** As fast as it is read, until it is read no more. */
function answersWithoutEnd(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[');
  const chunk = Buffer.from('[],'.repeat(20_000));
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

test('A-385: an answer of an engine has a bound; doctor says of which host it is, and goes on', async () => {
  says = answersWithoutEnd;
  const tooMuch = 'it answers with more than 8388608 bytes';
  expect(await checkEngine('host h', { engine }, true)).toMatchObject({
    ...{ check: 'host h', level: 'error', text: `${engine}: ${tooMuch}` },
  });
  await expect(tellEngine(engine, 'run').post('/containers/create')).rejects.toThrow(tooMuch);
});

test('A-385: an answer of 101 ends a call at once', async () => {
  says = switches;
  const why = 'it changes the protocol, which nobody asked for';
  await expect(askEngine({ engine }, '/info')).rejects.toThrow(why);
  await expect(openAnswer({ engine }, '/archive')).rejects.toThrow(why);
  await expect(tellEngine(engine, 'run').remove('/containers/x')).rejects.toThrow(why);
  const address = (await listen(0)).address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await expect(createPostJson(origin, undefined)('/api/v1/oidc/device', {})).rejects.toThrow(why);
  // Who asks for another protocol gets it.
  (await tellEngine(engine, 'run').attach('/containers/x/attach')).destroy();
});
