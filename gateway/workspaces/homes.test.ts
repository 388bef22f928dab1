import { type Duplex, duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { u8, u16, u32, u64 } from '../../src/carrier-client/payload.ts';
import { encodeFrame } from '../../src/wire/frames.ts';
import { type HomePlace, homeOf } from './home-of.ts';
import { createHomes } from './homes.ts';

const never = new AbortController().signal;
const [a, b] = [
  { kind: 'bind', source: '/srv/a' },
  { kind: 'bind', source: '/srv/b' },
] as const;

/** Homes of an agent whose workspace may change, and carriers that say that they are ready and then nothing. */
function start() {
  const now = { relay: 'r', place: a as HomePlace };
  const homes = createHomes({ placeOf: () => ({ relay: now.relay, ...now.place }), waitMs: 100 });
  const offer = (place?: HomePlace): { why: string | undefined; ours: Duplex } => {
    const [ours, carrier] = duplexPair();
    const lists = [u16(0), u32(0), u16(0), u32(0), u16(0)];
    const numbers = [u64(0), u64(0), u64(0), u64(0), u64(0)];
    const state = [u8(1), u8(0), u64(1), u64(1), Buffer.alloc(32), ...numbers, ...lists, u32(0), u64(0)];
    carrier.write(encodeFrame(CarrierFrame.ready, Buffer.concat(state)));
    return { why: homes.offer('r', 'coder', ours, place), ours };
  };
  const use = (of?: string) => homes.use('coder', async () => 'used', never, of);
  return { now, homes, offer, use };
}

test('A-562 P13: a lane to the former home is no lane to the one that the agent has now', async () => {
  const { now, homes, offer, use } = start();
  const { why, ours } = offer(a);
  expect([why, await use(), await use(homeOf('r', a))]).toEqual([undefined, 'used', 'used']);
  now.place = b;
  // Also before anybody has ended it.
  await expect(use()).rejects.toMatchObject({ code: 'workspace-unreachable' });
  homes.holdToAgents();
  expect([ours.destroyed, homes.isOffered('coder')]).toEqual([true, false]);
  expect(offer(a).why).toContain('has another workspace now');
  expect(offer(b).why).toBeUndefined();
  expect(await use()).toBe('used');
});

test('A-562 P13: what was written for a home is brought to that one, or to none', async () => {
  const { now, offer, use } = start();
  now.place = b;
  expect(offer(b).why).toBeUndefined();
  const refused = {
    code: 'workspace-unreachable',
    message: expect.stringContaining('names another one now'),
  };
  await expect(use(homeOf('r', a))).rejects.toMatchObject(refused);
  await expect(use(homeOf('s', b))).rejects.toMatchObject(refused);
  expect(await use(homeOf('r', b))).toBe('used');
});

test('a relay of before does not say where its carrier is', async () => {
  const { offer, use } = start();
  expect([offer().why, await use()]).toEqual([undefined, 'used']);
});
