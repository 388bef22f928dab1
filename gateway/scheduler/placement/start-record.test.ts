import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StartRecord } from './start-record.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('after each failure in a row it rests twice as long, a minute at most, and is on trial until it succeeds', () => {
  const starts = new StartRecord();
  const rests: number[] = [];
  for (let failure = 0; failure < 8; failure++) {
    starts.failed('it did not start');
    let ms = 0;
    for (; starts.resting; ms += 500) vi.advanceTimersByTime(500);
    rests.push(ms);
  }
  expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(starts.onTrial).toBe(true);
  starts.succeeded(100);
  expect([starts.onTrial, starts.resting]).toEqual([false, false]);
  starts.failed('it did not start');
  vi.advanceTimersByTime(1000);
  expect(starts.resting).toBe(false);
});

test('the latency follows what starts take now', () => {
  const starts = new StartRecord();
  expect(starts.latencyMs).toBe(200);
  for (let start = 0; start < 20; start++) starts.succeeded(1000);
  expect(starts.latencyMs).toBeGreaterThan(990);
});

test('a host that was slow once is as good as an unknown one after a minute without a start', () => {
  const starts = new StartRecord();
  for (let start = 0; start < 20; start++) starts.succeeded(1000);
  vi.advanceTimersByTime(59_000);
  expect(starts.latencyMs).toBeGreaterThan(990);
  vi.advanceTimersByTime(1000);
  expect(starts.latencyMs).toBe(200);
});
