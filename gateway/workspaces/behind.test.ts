import { expect, test } from 'vitest';
import { behindMs } from './behind.ts';
import { leftOutMs } from './follow.ts';
import { newSlot, type Slot } from './slot.ts';

const at = (seq: bigint, epoch = 7n) => ({ epoch, seq });
const slot = (change: Partial<Slot>): Slot => ({
  ...newSlot('build-1', { agent: 'coder', home: 'h' }, undefined),
  ...{ bytes: 0, entries: 0 },
  ...change,
});
const open = Promise.resolve() as unknown as NonNullable<Slot['opening']>;
const home = { version: at(3n), bytes: 1_000_000_000, entries: 1000 };

test('a host costs more, the more of the workspace it lacks', () => {
  const same = behindMs(slot({ opening: open, at: at(3n) }), home);
  const changed = behindMs(slot({ ...home, opening: open, at: at(2n) }), home);
  const closed = behindMs(slot({ at: at(3n) }), home);
  const empty = behindMs(slot({ opening: open, at: at(0n, 0n) }), home);
  const unknown = behindMs(slot({}), home);
  const costs = [same, changed, closed, empty, unknown];
  expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  expect([same, new Set(costs).size]).toEqual([0, 5]);
  expect(behindMs(slot({}), undefined)).toBeLessThan(unknown);
});

test('a host that lacks thousands of small files costs what their copy takes, whether it has some of them or none', () => {
  const [most, some] = [100_000, 30_000];
  const small = { version: at(9n), bytes: most, entries: most };
  const none = behindMs(slot({ opening: open, at: at(0n, 0n) }), small);
  const old = behindMs(slot({ opening: open, at: at(2n), bytes: some, entries: some }), small);
  const near = behindMs(slot({ opening: open, at: at(8n), bytes: most, entries: most }), small);
  expect([none, old, near]).toEqual([20_010, 14_010, 10]);
});

test('A-392: a replica that says it has more than can be makes no other host cost more than one that is left out', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const lied = { version: at(9n), bytes: most, entries: most };
  for (const other of [slot({}), slot({ ...home, at: at(3n) }), undefined])
    expect(behindMs(other, lied)).toBeLessThan(leftOutMs / 1.5);
});
