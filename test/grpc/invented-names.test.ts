import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { memoryInUse } from '../fixtures/memory-in-use.ts';
import { relay, startTestGateway } from './gateway.ts';
import { open, start } from './open-execute.ts';

const mebibyte = 1024 * 1024;

test('A-420 P20, P21: names of agents that a relay invents are not kept, however long they are', async () => {
  // Refused as the core does it, behind the first small message of the call.
  const execute: Execute = async (_caller, _request, channel) => {
    await new Promise<void>((resolve) => channel.listen(() => resolve()));
    return { kind: 'denied', reason: 'identity-agent', text: '' };
  };
  await using gateway = await startTestGateway({ execute });
  const client = await gateway.connect(relay);
  const ask = async (agent: string) => {
    const call = open(client, start({ agent }), { $case: 'signal', value: 2 });
    await call.waitFor('outcome');
    expect(await call.ended).toBe(0);
  };
  await ask('coder');
  const before = memoryInUse().heapUsed;
  for (let name = 0; name < 24; name += 1) await ask(`${name}`.padEnd(1_900_000, 'x'));
  await sleep(50);
  expect(memoryInUse().heapUsed - before).toBeLessThan(15 * mebibyte);
});
