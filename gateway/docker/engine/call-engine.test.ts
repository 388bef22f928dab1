import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attach } from '../container/attach.ts';
import { connect, type EngineConnection } from './connect.ts';
import { toEngineError } from './engine-errors.ts';

const never = new AbortController().signal;
let folder: string;
let server: Server;
let connections: Socket[];
let engine: EngineConnection;
/** What the engine answers; it ends the connection behind it, unless it hands that over. */
let answer: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-call-'));
  connections = [];
  server = createServer((socket) => {
    connections.push(socket.on('error', () => {}));
    socket.once('data', () => (answer.includes(' 101 UPGRADED') ? socket.write(answer) : socket.end(answer)));
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve));
  engine = connect({ name: 'h', engine: `unix://${join(folder, 'engine.sock')}` });
});

afterEach(() => {
  engine.close();
  for (const connection of connections) connection.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

const redirection = (to: string) => `HTTP/1.1 301 Moved\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`;
const upgraded = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';
const broken = {
  'no answer': '',
  'half a body': 'HTTP/1.1 500 Broken\r\nContent-Length: 100\r\n\r\n{"mess',
  'the good status of another call': 'HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}',
  'a redirection': redirection('/elsewhere'),
  'a redirection to nowhere': redirection('ftp://x/'),
  'a redirection that is no address': redirection('http://a:b:c/'),
};
const calls: Record<string, (docker: Docker) => Promise<unknown>> = {
  'a start': (docker) => docker.getContainer('x').start({}),
  'an attach': (docker) => attach(docker.getContainer('x'), never),
  'a stream': (docker) => docker.getImage('x').get(),
};
const each = Object.keys(calls).flatMap((call) => Object.keys(broken).map((text) => [text, call] as const));

// An error that nobody hears of fails the run.
test.each(each)("A-525 P21: %s to %s is that host's fault", async (text, call) => {
  answer = broken[text as keyof typeof broken];
  const failure: unknown = await calls[call]?.(engine.docker).catch((error: unknown) => error);
  expect(toEngineError(failure, 'h').code).toBe('host-lost');
  await setTimeout(20);
});

test('A-525: a host that changes the protocol unasked is broken, long before the call is late', async () => {
  answer = upgraded;
  const failure: unknown = await engine.docker
    .getContainer('x')
    .start({})
    .catch((error: unknown) => error);
  expect(toEngineError(failure, 'h').code).toBe('host-lost');
});

test('A-525: a connection that breaks while nobody has it is heard of', async () => {
  answer = upgraded;
  const taken = await attach(engine.docker.getContainer('x'), never);
  const closed = new Promise((resolve) => taken.once('close', resolve));
  taken.destroy(new Error('it was reset'));
  await closed;
});

test('what comes with the handing over of a connection is its first words', async () => {
  answer = `${upgraded}first words`;
  const taken = await attach(engine.docker.getContainer('x'), never);
  const [words] = (await once(taken, 'data')) as [Buffer];
  expect(words.toString()).toBe('first words');
});
