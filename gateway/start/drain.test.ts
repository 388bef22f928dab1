import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drain } from './drain.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('A-375: what is left after 30 s is told each second to end, until it has', async () => {
  const [ended, told] = [Promise.withResolvers<void>(), vi.fn<() => void>()];
  const ending = drain({ stopRunning: told, drain: () => ended.promise }, { leave: async () => {} });
  await vi.advanceTimersByTimeAsync(29_900);
  expect(told).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(3_200);
  expect(told).toHaveBeenCalledTimes(4);
  ended.resolve();
  await vi.advanceTimersByTimeAsync(2_000);
  await ending;
  expect([told.mock.calls.length <= 6, vi.getTimerCount()]).toEqual([true, 0]);
});
