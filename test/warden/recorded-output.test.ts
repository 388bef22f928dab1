import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { type First, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let relay: GatewayClient;

beforeAll(async () => {
  gateway = await startRealGateway();
  relay = await gateway.relay();
});
afterAll(async () => {
  relay?.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function shown(first: First) {
  const command = newMirrored();
  await play(relay, command, first, gateway.audit);
  expect(command.outcome?.code).toBe(7);
  return await gateway.cli('show', command.id, '--output');
}

test('record: head-tail keeps both ends of what a command wrote, and says how much is between them', async () => {
  const much = Buffer.from('a line that is told\n'.repeat(50_000));
  const { code, stdout } = await shown({
    tool: 'kept',
    output: [Buffer.from('first\n'), much, Buffer.from('last\n')],
  });
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 3)).toEqual(['stdout, 1000011 bytes', '| first', '| a line that is told']);
  expect(lines.slice(-3)).toEqual(['| last', 'stderr, 0 bytes', '']);
  expect(lines.filter((line) => !line.startsWith('| '))).toContain(
    `(${1_000_011 - 65_536} bytes were not kept)`,
  );
});

test('a short output is kept whole, over a restart', async () => {
  const command = newMirrored();
  await play(relay, command, { tool: 'kept', output: [Buffer.from('all of it')] }, gateway.audit);
  relay.close();
  await gateway.end('SIGTERM');
  await gateway.start();
  relay = await gateway.relay();
  expect((await gateway.cli('show', command.id, '--output')).stdout).toBe(
    'stdout, 9 bytes\n| all of it\n(no line end)\nstderr, 0 bytes\n',
  );
});

test('nothing is kept unless the policy says so', async () => {
  const { code, stderr } = await shown({ tool: 'run', output: [Buffer.from('secret')] });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^clawrden: show: nothing is kept of what .* wrote; /),
  ]);
});
