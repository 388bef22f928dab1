import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

// Of which some 250 are for newcomers.
const openFiles = 550;
let gateway: RealGateway;

beforeAll(async () => {
  gateway = await startRealGateway({ openFiles, limits: { running: 20, 'executions-per-agent': 100 } });
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

test('A-88: more connections than the process may open files: the audit and running work do not feel it', async () => {
  const relay = await gateway.relay();
  const [host = '', port = ''] = gateway.address.split(':');
  const sockets: Socket[] = [];
  const flood = async () => {
    for (let n = 0; n < 800; n++) {
      const socket = connect({ host, port: Number(port), localAddress: `127.0.${1 + (n % 8)}.1` });
      sockets.push(socket.on('error', () => {}));
      if (n % 80 === 79) await sleep(10);
    }
  };
  const run = async () => {
    const command = newMirrored();
    await play(relay, command, { tool: 'run' }, gateway.audit);
    return [command.outcome?.code, command.unaudited];
  };
  expect(await run()).toEqual([7, []]);
  const flooding = flood();
  for (let n = 0; n < 20; n++) expect(await run()).toEqual([7, []]);
  await flooding;
  expect(await run()).toEqual([7, []]);
  expect(sockets.filter(({ closed }) => !closed).length).toBeLessThan(openFiles);
  expect(readFileSync(gateway.log, 'utf8')).not.toMatch(/EMFILE|unforeseen/);
  expect(await gateway.newToken()).toMatch(/^eyJ/);
  for (const socket of sockets) socket.destroy();
  relay.close();
});
