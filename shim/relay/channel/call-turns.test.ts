import { expect, onTestFinished, test, vi } from 'vitest';
import { callsPerSecond, createCallTurns } from './call-turns.ts';

test('A-583 P20: agents of one relay share what its gateway takes, and one that asks seldom is not held up', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = createCallTurns();
  const told: string[] = [];
  const ask = (agent: string) => {
    const turn = turns(agent);
    if (turn === undefined) told.push(agent);
    else void turn.then(() => told.push(agent));
  };
  const greedy = Array.from({ length: 8 }, (_, index) => `m${index}`);
  for (let count = 0; count < 256; count += 1) for (const agent of greedy) ask(agent);
  expect(told).toHaveLength(callsPerSecond);
  ask('honest');
  await vi.advanceTimersByTimeAsync(1000);
  expect(told.indexOf('honest')).toBeLessThan(callsPerSecond + 2 * greedy.length);
  expect(told).toHaveLength(greedy.length * 256 + 1);
  // However long it goes on, the rate is never above that.
  told.splice(0);
  for (let second = 0; second < 3; second += 1) {
    for (let count = 0; count < 500; count += 1) for (const agent of greedy) ask(agent);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(told.length).toBeLessThanOrEqual(4 * callsPerSecond);
  expect(told.length).toBeGreaterThan(2.9 * callsPerSecond);
  for (const agent of greedy) {
    const own = told.filter((one) => one === agent).length;
    expect(own).toBeGreaterThan(told.length / greedy.length / 2);
  }
});
