import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { FrameType } from '../../src/frames.ts';

import { version1 } from './requests.ts';
import { accepted, untilGone } from './scripted.ts';
import { startRelay } from './start-relay.ts';

const endless: Execute = async (_caller, _request, channel) => {
  void channel.send(accepted);
  return await untilGone(channel);
};

test('a gateway that goes away in the middle is 125 gateway-lost', async () => {
  await using relay = await startRelay({ execute: endless });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.acks.length > 0);
  relay.network.cut();
  expect(await shim.closed).toBeLessThan(2000);
  expect(shim.output(2)).toMatch(/^clawrden: gateway-lost: /);
  expect(shim.exit).toEqual([125, 0]);
});

test('P24 a gateway that freezes is noticed within 15 s', { timeout: 30_000 }, async () => {
  await using relay = await startRelay({ execute: endless });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.acks.length > 0);
  relay.network.freeze();
  expect(await shim.closed).toBeLessThan(16_000);
  expect(shim.exit).toEqual([125, 0]);
});

test('a new request is held until the gateway is back', async () => {
  await using relay = await startRelay();
  relay.network.cut();
  const shim = relay.shim().request(version1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(shim.acks).toEqual([]);
  relay.network.heal();
  await shim.closed;
  expect(shim.exit).toEqual([0, 0]);
});

test('a request that is held for 10 s ends with 125 gateway-unreachable; a cancel does not wait', async () => {
  await using relay = await startRelay();
  relay.network.cut();
  const shim = relay.shim().request(version1);
  const canceled = relay.shim().request(version1).frame(FrameType.cancel);
  expect(await canceled.closed).toBeLessThan(2000);
  expect(canceled.exit).toEqual([125, 0]);
  const waited = await shim.closed;
  expect(waited).toBeGreaterThan(9000);
  expect(waited).toBeLessThan(12_000);
  expect(shim.acks).toEqual([0]);
  expect(shim.output(2)).toMatch(/^clawrden: gateway-unreachable: /);
  expect(shim.exit).toEqual([125, 0]);
});
