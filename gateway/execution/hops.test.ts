import { expect, test } from 'vitest';
import { hopsOf } from './hops.ts';

const told = (...given: Parameters<typeof hopsOf>) =>
  hopsOf(...given).map(({ name, from, to }) => `${name} ${from}-${to}`);

const decided = { received: 0, judged: 1, decided: 3 };

test('a command in a ghost that waited is judged, recorded, placed, started, run', () => {
  const times = { ...decided, permitted: 3, placed: 4, planned: 5, started: 7, ended: 20 };
  expect(told(times, 21)).toEqual(['judge 0-1', 'audit 1-3', 'lease 3-4', 'start 4-7', 'run 7-20']);
});

test('one that was asked about, with a new container and a workspace that follows', () => {
  const asked = { ...decided, inspected: 5, asked: 6, permitted: 50 };
  const placed = { leased: 60, ready: 90, settled: 95, placed: 95, planned: 95, started: 97 };
  expect(told({ ...asked, ...placed, ended: 100, home: 104 }, 105)).toEqual([
    ...['judge 0-1', 'audit 1-3', 'inspect 3-5', 'ask 5-6', 'approval 6-50', 'lease 50-60'],
    ...['container 60-90', 'workspace out 90-95', 'start 95-97', 'run 97-100', 'workspace home 100-104'],
  ]);
});

test('one that runs elsewhere has no place here, and runs to the end', () => {
  expect(told({ ...decided, permitted: 3, started: 9 }, 30).slice(2)).toEqual(['start 3-9', 'run 9-30']);
});

test('what cuts a command off cuts off its last step', () => {
  expect(told(decided, 4)).toEqual(['judge 0-1', 'audit 1-3']);
  expect(told({ ...decided, asked: 4 }, 9).at(-1)).toBe('approval 4-9');
  expect(told({ ...decided, permitted: 4 }, 9).at(-1)).toBe('lease 4-9');
  const elsewhere = { ...decided, permitted: 4, leased: 40, ready: 20 };
  expect(told(elsewhere, 50).slice(2)).toEqual(['lease 4-40', 'container 40-50']);
});
