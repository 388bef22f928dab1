import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;

beforeAll(async () => {
  gateway = await startRealGateway();
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

/** A command of that relay; without an outcome it was not admitted. */
async function run(relay: GatewayClient) {
  const command = newMirrored();
  await play(relay, command, { tool: 'run' }, gateway.audit);
  return command.outcome?.code;
}

test('P6, A-56: a revoked relay is out at once, its work with it, over a restart too, until it enrols again', async () => {
  const old = await gateway.relay();
  expect(await run(old)).toBe(7);
  const unused = await gateway.newToken();
  const asked = newMirrored();
  const waiting = play(old, asked, { tool: 'ask' }, gateway.audit);
  await expect.poll(() => asked.approvalId).not.toBe('');

  const began = performance.now();
  expect(await gateway.cli('revoke', 'host-1', '--reason', 'stolen')).toMatchObject({ code: 0, stderr: '' });
  await waiting;
  expect(asked.outcome).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(await run(old)).toBeUndefined();
  await expect(gateway.enrol('late', unused)).rejects.toThrow(
    /older than the revocation of the relay host-1/,
  );

  const again = await (await gateway.enrol('again', await gateway.newToken()))();
  expect(await run(again)).toBe(7);
  expect(await run(old)).toBeUndefined();
  for (const client of [old, again]) client.close();
  await gateway.end('SIGKILL');
  await gateway.start();
  const [first, second] = await Promise.all([
    gateway.relay(),
    gateway.enrol('third', await gateway.newToken()),
  ]);
  expect(await run(first)).toBeUndefined();
  const third = await second();
  expect(await run(third)).toBe(7);
  for (const client of [first, third]) client.close();
  const revocations = readFileSync(gateway.audit, 'utf8').match(/"type":"revocation".*/g);
  expect(revocations).toEqual([
    expect.stringMatching(/"principal":"relay:host-1","by":"person:admin","reason":"stolen"/),
  ]);
});

test('a relay that gateway.yaml does not name and that never enrolled is not revoked', async () => {
  expect(await gateway.cli('revoke', 'host-2')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^clawrden: revoke: no agent in gateway.yaml has the relay host-2, and none of that name was enrolled; /,
    ),
  });
});
