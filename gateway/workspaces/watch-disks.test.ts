import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keyOf } from './home-of.ts';
import { pass } from './retire.fixture.ts';
import { started } from './watch-disks.fixture.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('A-548 P20: of a disk that is nearly full what takes most that its home has not goes, and nothing else', async () => {
  const { slots, disks, held, use, stopped, removed, told, replicas } = await started({
    ...{ large: { seen: 600 }, filler: { seen: 10 }, small: { seen: 40 } },
  });
  replicas.homes.set(keyOf(slots['large']!), { version: { epoch: 1n, seq: 1n }, bytes: 590, entries: 0 });
  await use('large', 'filler', 'small');
  await pass(60_000);
  expect([stopped, disks.problem('build-1')]).toEqual([[], '']);
  held['filler']!.seen = 330;
  await pass(6000);
  expect([stopped, removed]).toEqual([['filler workspace-full'], ['filler']]);
  expect(told).toMatchObject([{ agent: 'filler', host: 'build-1', what: 'filled-disk' }]);
  expect(told[0]?.text).toMatch(
    /nearly full \(30 bytes of 1000 bytes are free\).*agent filler takes 330 bytes/,
  );
  await pass(60_000);
  expect([removed, stopped.length, disks.problem('build-1')]).toEqual([['filler'], 1, '']);
  await disks.stop();
});

test('A-548 P20: what a command left goes, too, when none works there any more', async () => {
  const { slots, disks, held, use, removed } = await started({ filler: { seen: 0 }, other: { seen: 0 } });
  await use('filler');
  await pass(4000);
  held['filler']!.seen = 990;
  slots['filler']!.commands = 0;
  slots['filler']!.usedAt = performance.now();
  await pass(4000);
  expect(removed).toEqual(['filler']);
  await disks.stop();
});

test('A-549 P20: if none takes so much that can be seen, work ends one after another until there is room', async () => {
  const { disks, held, use, stopped, removed, told } = await started({
    ...{ first: { seen: 5 }, filler: { seen: 5 }, last: { seen: 5 } },
  });
  await use('first', 'filler', 'last');
  await pass(10_000);
  held['filler']!.unseen = 970;
  await pass(10_000);
  expect([stopped, removed]).toEqual([['last workspace-full', 'filler workspace-full'], []]);
  expect(told).toMatchObject([{ agent: 'filler', what: 'filled-disk' }]);
  // The next time who did it is known.
  await use('filler', 'last');
  await pass(10_000);
  held['filler']!.unseen = 970;
  await pass(10_000);
  expect(stopped.slice(2)).toEqual(['filler workspace-full']);
  await disks.stop();
});

test('A-549 P20: no work ends if what went is what the replicas took, and their homes have it', async () => {
  const { slots, disks, held, use, stopped, removed, replicas } = await started({
    a: { seen: 5 },
    b: { seen: 5 },
  });
  await use('a', 'b');
  await pass(10_000);
  const version = { epoch: 1n, seq: 1n };
  replicas.homes.set(keyOf(slots['b']!), { version, bytes: 960, entries: 0 });
  held['b']!.seen = 970;
  await pass(60_000);
  expect([stopped, removed, disks.problem('build-1') === '']).toEqual([[], [], false]);
  await disks.stop();
});

test('A-549 P20: no work ends because something else filled the disk, and nothing is counted again and again', async () => {
  const { disks, use, stopped, removed, counts } = await started({ a: { seen: 5 }, b: { seen: 5 } }, 960);
  await use('a', 'b');
  await pass(60_000);
  expect([stopped, removed]).toEqual([[], []]);
  expect(disks.problem('build-1')).toContain('the disk of Docker host build-1 is nearly full');
  expect(counts.all).toBeLessThanOrEqual(10);
  await disks.stop();
});

test('A-548 P20: one whose tree cannot be counted is the first whose work ends', async () => {
  const { disks, use, stopped } = await started({ a: { seen: 5 }, b: { seen: 5, whole: false } }, 960);
  await use('b', 'a');
  await pass(60_000);
  expect(stopped).toEqual(['b workspace-full']);
  await disks.stop();
});

test('A-548 P20: one that its home does not take is lost, and people are told', async () => {
  const { disks, use, removed, away, discarded } = await started({ a: { seen: 20 }, b: { seen: 950 } });
  away.set('b', 'its home is away');
  await use('a', 'b');
  await pass(10_000);
  expect([removed, discarded]).toEqual([['b'], ['b']]);
  await disks.stop();
});

test('A-549 P20: who fills it for moments ends the work of others once in ten minutes', async () => {
  const { disks, held, use, stopped } = await started({
    filler: { seen: 5 },
    b: { seen: 5 },
    c: { seen: 5 },
  });
  await use('filler', 'c', 'b');
  await pass(10_000);
  for (let times = 0; times < 4; times++) {
    held['filler']!.unseen = 970;
    await pass(2000);
    held['filler']!.unseen = 0;
    await pass(10_000);
    await use('b', 'c');
  }
  const ended = stopped.map((each) => each.split(' ')[0]);
  expect(new Set(ended)).toEqual(new Set(['b', 'c', 'filler']));
  expect([ended.length, ended.at(-1)]).toEqual([3, 'filler']);
  await disks.stop();
});

test('A-549 P20: who gives the room back as another’s work ends is found at the next time, and the other is cleared', async () => {
  const { disks, held, use, stopped, told, leftOut, hooks } = await started({
    filler: { seen: 5 },
    b: { seen: 5 },
  });
  await use('filler', 'b');
  await pass(10_000);
  held['filler']!.unseen = 970;
  hooks.onStop = () => {
    held['filler']!.unseen = 0;
  };
  await pass(4000);
  expect([stopped, told.map(({ agent }) => agent)]).toEqual([['b workspace-full'], ['b']]);
  await pass(10_000);
  held['filler']!.unseen = 970;
  await pass(4000);
  expect([stopped.at(-1), told.map(({ agent }) => agent)]).toEqual([
    'filler workspace-full',
    ['b', 'filler'],
  ]);
  expect(leftOut.why({ agent: 'b', host: 'build-1' })).toBeUndefined();
  await disks.stop();
});

test('A-548 P20: while one goes nobody else’s work ends, for a minute', async () => {
  const { disks, use, stopped, away } = await started({ a: { seen: 400 }, b: { seen: 570 } });
  const going = Promise.withResolvers<string>();
  away.set('b', going.promise as unknown as string);
  await use('a', 'b');
  await pass(50_000);
  expect(stopped).toEqual(['b workspace-full']);
  await pass(20_000);
  expect(stopped).toEqual(['b workspace-full', 'a workspace-full']);
  going.resolve('no');
  await disks.stop();
});
