import { expect, test } from 'vitest';
import { createPullProgress } from './pull-progress.ts';

test('the per cent of a pull is that of its layers, and never falls', () => {
  const progress = createPullProgress();
  const told = [
    progress({ id: 'latest', status: 'Pulling from node' }),
    progress({ id: 'a', status: 'Pulling fs layer', progressDetail: {} }),
    progress({ id: 'b', status: 'Pulling fs layer', progressDetail: {} }),
    progress({ id: 'a', status: 'Downloading', progressDetail: { current: 8, total: 10 } }),
    progress({ id: 'b', status: 'Already exists' }),
    progress({ id: 'c', status: 'Pulling fs layer' }),
    progress({ id: 'a', status: 'Download complete' }),
    progress({ id: 'a', status: 'Extracting', progressDetail: { current: 1, total: 10 } }),
    progress({ id: 'c', status: 'Pull complete' }),
    progress({ status: 'Status: Downloaded newer image' }),
  ];
  expect(told).toEqual([0, 0, 0, 40, 90, 90, 90, 90, 100, 100]);
});

test('the layers of its base that the engine has are no part of it', () => {
  const progress = createPullProgress();
  const told = [
    progress({ id: 'base', status: 'Already exists', progressDetail: {} }),
    progress({ id: 'a', status: 'Pulling fs layer', progressDetail: {} }),
    progress({ id: 'a', status: 'Downloading', progressDetail: { current: 1, total: 4 } }),
    progress({ id: 'a', status: 'Download complete', progressDetail: {} }),
  ];
  expect(told).toEqual([0, 0, 25, 100]);
});
