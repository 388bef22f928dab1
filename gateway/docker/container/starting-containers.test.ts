import { expect, test } from 'vitest';
import { startingContainers } from './starting-containers.ts';

test('a sweep sees what is starting when it begins and what begins meanwhile, also once that is over', () => {
  const starting = startingContainers();
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
