import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('waits 0.5 to 30 s, longer after each failure, and never as long as everybody else', () => {
  expect([0, 1, 2, 3, 6, 50].map((failures) => backoffMs(failures, 1))).toEqual([
    500, 1000, 2000, 4000, 30_000, 30_000,
  ]);
  expect([0, 1, 2, 50].map((failures) => backoffMs(failures, 0))).toEqual([500, 500, 1000, 15_000]);
  expect(new Set(Array.from({ length: 10 }, () => backoffMs(6))).size).toBeGreaterThan(5);
});
