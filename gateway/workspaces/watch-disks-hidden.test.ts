import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keyOf } from './home-of.ts';
import { pass } from './retire.fixture.ts';
import { bytesThere } from './slot.ts';
import { started } from './watch-disks.fixture.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ['at once', [0, 860]],
  ['over minutes', [0, 150, 300, 450, 600, 750, 860]],
])(
  'A-613 P20: who fills it unseen, %s, has no other’s replica removed, however much that has beyond its home',
  async (_, steps) => {
    const { disks, held, use, stopped, removed, told } = await started({
      ...{ victim: { seen: 100 }, filler: { seen: 5 } },
    });
    await use('filler', 'victim');
    for (const unseen of steps) {
      held['filler']!.unseen = unseen;
      await pass(30_000);
    }
    expect(removed).toEqual([]);
    expect(stopped).toEqual(['victim workspace-full', 'filler workspace-full']);
    expect(told.map(({ agent }) => agent)).toEqual(['filler']);
    await disks.stop();
  },
);

test('A-613 P20: what can be seen goes if it is more than what is hidden, or nobody is left whose work could end', async () => {
  const { disks, held, use, stopped, removed } = await started({ seen: { seen: 5 }, other: { seen: 5 } });
  await use('seen', 'other');
  await pass(10_000);
  held['seen']!.seen = 600;
  held['other']!.unseen = 380;
  await pass(10_000);
  expect([stopped, removed]).toEqual([['seen workspace-full'], ['seen']]);
  await disks.stop();
});

test('A-613 P20: what was there from the beginning and is in no replica hides nothing', async () => {
  const { disks, held, use, stopped, removed } = await started({ a: { seen: 60 }, b: { seen: 5 } }, 800);
  await use('a', 'b');
  await pass(60_000);
  held['a']!.seen = 170;
  await pass(10_000);
  expect([stopped, removed]).toEqual([['a workspace-full'], ['a']]);
  await disks.stop();
});

test('A-619 P20: a home that is mostly holes gives its replica no right to fill the disk', async () => {
  const { slots, disks, held, use, removed, replicas } = await started({
    ...{ filler: { seen: 10 }, other: { seen: 10 } },
  });
  replicas.homes.set(keyOf(slots['filler']!), { version: { epoch: 1n, seq: 1n }, bytes: 8000, entries: 0 });
  await use('filler', 'other');
  await pass(10_000);
  held['filler'] = { seen: 970, carried: 5 };
  await pass(10_000);
  expect(removed).toEqual(['filler']);
  await disks.stop();
});

test('A-619 P20: nor does one of more names than the replica has', async () => {
  const { slots, disks, held, use, removed, replicas } = await started({
    ...{ filler: { seen: 10 }, other: { seen: 10 } },
  });
  const version = { epoch: 1n, seq: 1n };
  replicas.homes.set(keyOf(slots['filler']!), { version, bytes: 10, entries: 8000 });
  await use('filler', 'other');
  await pass(10_000);
  held['filler'] = { seen: 10, entries: 970, carriedEntries: 5 };
  await pass(10_000);
  expect(removed).toEqual(['filler']);
  await disks.stop();
});

test('A-621 P20: a replica that hides from its carrier what it has goes first, used or not', async () => {
  const { disks, held, use, slots, stopped, removed } = await started({
    ...{ deep: { seen: 5 }, other: { seen: 5 } },
  });
  await use('deep', 'other');
  await pass(10_000);
  held['deep'] = { seen: 5, unseen: 970, whole: false };
  Object.assign(slots['deep'] ?? {}, { commands: 0, usedAt: performance.now() });
  await pass(10_000);
  expect([stopped, removed]).toEqual([['deep workspace-full'], ['deep']]);
  await disks.stop();
});

test('A-621 P20: a replica whose count only takes too long hides nothing, and does not go for what another hides', async () => {
  const { disks, held, use, removed } = await started({ slow: { seen: 5 }, other: { seen: 5 } });
  await use('slow', 'other');
  await pass(60_000);
  held['slow'] = { seen: 5, countMs: 40_000 };
  held['other'] = { seen: 5, unseen: 970 };
  await pass(120_000);
  expect(removed).toEqual([]);
  await disks.stop();
});

test('A-622 P20: what is carried as holes takes no room of a host, once it was counted', async () => {
  const { disks, held, use, slots } = await started({ holes: { seen: 10 } });
  const slot = slots['holes']!;
  slot.bytes = 9000;
  expect(bytesThere(slot)).toBe(9000);
  await use('holes');
  await pass(20_000);
  expect(bytesThere(slot)).toBe(10);
  slot.bytes = 9100;
  expect(bytesThere(slot)).toBe(110);
  await pass(20_000);
  expect(bytesThere(slot)).toBe(10);
  held['holes'] = { seen: 60 };
  await pass(20_000);
  expect(bytesThere(slot)).toBe(60);
  await disks.stop();
});
