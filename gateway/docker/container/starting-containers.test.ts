import { expect, test } from 'vitest';
import { sparedContainers, startingContainers } from './starting-containers.ts';

test('a sweep sees what is starting when it begins and what begins meanwhile, also once that is over', () => {
  const starting = startingContainers(sparedContainers());
  const before = starting.add('before');
  const sweep = starting.watch();
  before();
  starting.add('during')();
  expect(['before', 'during', 'other'].map(sweep.has)).toEqual([true, true, false]);
  sweep.end();
  starting.add('after')();
  expect(sweep.has('after')).toBe(false);
  expect(starting.watch().has('before')).toBe(false);
});

test('A-328: a sweep spares what starts over another entry of the same engine, by the same name or another', () => {
  const spared = sparedContainers();
  const [first, second] = [startingContainers(spared), startingContainers(spared)];
  const failed = first.add('same');
  first.add('other');
  second.add('same');
  failed();
  const sweep = second.watch();
  first.add('later');
  expect(['same', 'other', 'later', 'unknown'].map(sweep.has)).toEqual([true, true, true, false]);
  sweep.end();
});
