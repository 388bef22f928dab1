import { describe, expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { FrameType } from '../../src/wire/frames.ts';

import { version1 } from './requests.ts';
import { accepted, pending, untilGone } from './scripted.ts';
import { startRelay } from './start-relay.ts';

const endless: Execute = async (_caller, _request, channel) => {
  void channel.send(accepted);
  return await untilGone(channel);
};

test.concurrent('a gateway that goes away in the middle is 125 gateway-lost', async () => {
  await using relay = await startRelay({ execute: endless });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.acks.length > 0);
  relay.network.cut();
  expect(await shim.closed).toBeLessThan(2000);
  expect(shim.output(2)).toMatch(/^clawrden: gateway-lost: /);
  expect(shim.exit).toEqual([125, 0]);
});

test.concurrent('P24 a gateway that freezes is noticed within 15 s', { timeout: 30_000 }, async () => {
  await using relay = await startRelay({ execute: endless });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.acks.length > 0);
  relay.network.freeze();
  expect(await shim.closed).toBeLessThan(16_000);
  expect(shim.exit).toEqual([125, 0]);
});

test.concurrent('a new request is held until the gateway is back', async () => {
  await using relay = await startRelay();
  relay.network.cut();
  const shim = relay.shim().request(version1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(shim.acks).toEqual([]);
  relay.network.heal();
  await shim.closed;
  expect(shim.exit).toEqual([0, 0]);
});

test.concurrent('a request that is held for 10 s ends with 125 gateway-unreachable; a cancel does not wait', async () => {
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

describe.concurrent('while a person is asked', () => {
  const asking: Execute = async (_caller, _request, channel) => {
    void channel.send(pending);
    return await untilGone(channel);
  };

  test('the relay holds the shim, comes back with the execution’s id and hash, and the answer gets through', async () => {
    let started = '';
    const resumed: unknown[] = [];
    await using relay = await startRelay({
      execute: async (caller, request, channel) => {
        started = request.executionId;
        return await asking(caller, request, channel);
      },
      resume: async (_caller, request, channel) => {
        resumed.push(request);
        void channel.send(pending);
        void channel.send(accepted);
        void channel.send({ type: 'stdout', bytes: Buffer.from('at last') });
        return { kind: 'exited', code: 4, signal: 0 };
      },
    });
    const shim = relay.shim().request(version1);
    await shim.until(() => shim.acks.length > 0);
    relay.network.cut();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    relay.network.heal();
    await shim.closed;
    expect(resumed).toEqual([{ executionId: started, planHash: pending.planHash }]);
    expect(shim.acks).toEqual([2, 0]);
    expect(shim.output(1)).toBe('at last');
    expect(shim.exit).toEqual([4, 0]);
  });

  test('A-598: a signal that came while the gateway was away is told once it is back', async () => {
    const heard: unknown[] = [];
    await using relay = await startRelay({
      execute: asking,
      resume: async (_caller, _request, channel) => {
        channel.listen((input) => heard.push(input));
        void channel.send(pending);
        await expect.poll(() => heard).toContainEqual({ type: 'signal', signal: 15 });
        return { kind: 'interrupted', signal: 15 };
      },
    });
    const shim = relay.shim().request(version1);
    await shim.until(() => shim.acks.length > 0);
    relay.network.cut();
    // Nothing shows that the relay knows of the cut, nor that it has read the frame: the signal must come in between.
    await new Promise((resolve) => setTimeout(resolve, 500));
    shim.frame(6, Buffer.of(15));
    await new Promise((resolve) => setTimeout(resolve, 500));
    relay.network.heal();
    await shim.closed;
    expect([heard.length, shim.exit]).toEqual([1, [0, 15]]);
  });

  test('a gateway that forgot it is 125 resume-void', async () => {
    await using relay = await startRelay({ execute: asking });
    const shim = relay.shim().request(version1);
    await shim.until(() => shim.acks.length > 0);
    relay.network.cut();
    relay.network.heal();
    await shim.closed;
    expect(shim.output(2)).toMatch(/^clawrden: resume-void: /);
    expect(shim.exit).toEqual([125, 0]);
  });

  test('a shim that hangs up meanwhile is not waited for', async () => {
    const resumed: unknown[] = [];
    await using relay = await startRelay({
      execute: asking,
      resume: async (_caller, request) => {
        resumed.push(request);
        return { kind: 'exited', code: 0, signal: 0 };
      },
    });
    const shim = relay.shim().request(version1);
    await shim.until(() => shim.acks.length > 0);
    relay.network.cut();
    shim.socket.destroy();
    await shim.until(() => relay.logged.some(({ msg }) => msg === 'ended'));
    relay.network.heal();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(resumed).toEqual([]);
  });

  test('a gateway that stays away for 30 s is 125', { timeout: 60_000 }, async () => {
    await using relay = await startRelay({ execute: asking });
    const shim = relay.shim().request(version1);
    await shim.until(() => shim.acks.length > 0);
    relay.network.cut();
    const waited = await shim.closed;
    expect(waited).toBeGreaterThan(29_000);
    expect(waited).toBeLessThan(33_000);
    expect(shim.exit).toEqual([125, 0]);
  });
});
