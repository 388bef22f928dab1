import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { type First, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

// Every command of these tests exits with 7.
const policy = `breakers:
  - { name: stuck, repeats: 4, action: refuse, agents: [coder] }
  - { name: lost, failures: 3, action: pause, agents: [other] }
`;

let gateway: RealGateway;
let relay: GatewayClient;

beforeAll(async () => {
  gateway = await startRealGateway({ policy });
  relay = await gateway.relay();
});
afterAll(async () => {
  relay?.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function run(first: First) {
  const command = newMirrored();
  await play(relay, command, first, gateway.audit);
  const { code, reason, text } = command.outcome ?? {};
  return { starts: command.starts, code, reason, text };
}

async function agents(): Promise<Record<string, unknown>[]> {
  return JSON.parse((await gateway.cli('agents', '--json')).stdout) as Record<string, unknown>[];
}

test('P19: a breaker stops one agent, is shown with its reason, outlives the gateway, and a person lifts it', async () => {
  for (const args of [['a'], ['b'], ['b'], ['b']])
    expect(await run({ tool: 'run', args })).toMatchObject({ starts: 1, code: 7 });
  const refused = { starts: 0, code: 1, reason: 'breaker-open' };
  const why = 'the breaker stuck stopped coder: the same command 4 times in a row; ';
  expect(await run({ tool: 'run', args: ['b'] })).toMatchObject({
    ...refused,
    text: expect.stringContaining(why),
  });
  expect(await run({ tool: 'run', args: ['c'] })).toMatchObject(refused);
  expect(await run({ tool: 'run', agent: 'other' })).toMatchObject({ starts: 1 });

  const held = { refused: true, heldBy: 'breaker:stuck', heldReason: 'the same command 4 times in a row' };
  expect(await agents()).toMatchObject([
    { name: 'coder', ...held, heldSince: expect.stringMatching(/^20/) },
    { name: 'other', refused: false, heldBy: '', heldSince: '' },
  ]);
  const { stdout } = await gateway.cli('agents');
  expect(stdout).toMatch(/coder +refused .*by breaker:stuck: the same command 4 times in a row\n/);

  relay.close();
  await gateway.end('SIGKILL');
  await gateway.start();
  relay = await gateway.relay();
  expect(await run({ tool: 'run', args: ['c'] })).toMatchObject(refused);
  expect(await gateway.cli('resume', 'coder', '--reason', 'it may')).toMatchObject({ code: 0 });
  for (const _ of [1, 2, 3]) expect(await run({ tool: 'run', args: ['b'] })).toMatchObject({ starts: 1 });
});

test('P19: failures pause an agent, in the audit as the breaker, and the others go on', async () => {
  for (const args of [['a'], ['b'], ['c']])
    expect(await run({ tool: 'run', agent: 'other', args })).toMatchObject({ starts: 1 });
  const text = expect.stringContaining('3 failures in a row') as string;
  expect(await run({ tool: 'run', agent: 'other', args: ['d'] })).toMatchObject({
    ...{ starts: 0, reason: 'agent-paused', text },
  });
  expect((await agents())[1]).toMatchObject({ name: 'other', paused: true, heldBy: 'breaker:lost' });
  expect(await run({ tool: 'run', args: ['z'] })).toMatchObject({ starts: 1 });
  const controls = readFileSync(gateway.audit, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"control"'));
  expect(controls.map((line) => JSON.parse(line) as object)).toMatchObject([
    { agent: 'coder', state: 'refused', by: 'breaker:stuck' },
    { agent: 'coder', state: 'active', by: 'person:admin', reason: 'it may' },
    { agent: 'other', state: 'paused', by: 'breaker:lost', reason: '3 failures in a row' },
  ]);
});
