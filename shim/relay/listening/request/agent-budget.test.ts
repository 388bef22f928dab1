import { afterEach, expect, test, vi } from 'vitest';
import { messagesPerSecond } from '../../../../src/crumb-budgets.ts';
import { FrameType } from '../../../../src/wire/frames.ts';
import { createAgentBudget } from './agent-budget.ts';

afterEach(() => void vi.useRealTimers());

test('A-470 P20, P22: of all that an agent sends and its inits say less is passed on than the gateway reads of it', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const limits = { requestsPerSecond: 500, bytesPerSecond: 4_000_000 };
  const { pace, waitBefore } = createAgentBudget('coder', limits, async () => {});
  const signal = { type: FrameType.signal, payload: Buffer.alloc(1) };
  let passedOn = 0;
  const passOn = () => {
    while (waitBefore([signal]) === 0) passedOn += 1;
    while (pace(1) === 0) passedOn += 1;
  };
  passOn();
  expect(passedOn).toBeLessThan(2 * messagesPerSecond);
  for (let second = 0; second < 10; second += 1) {
    vi.advanceTimersByTime(1000);
    passOn();
  }
  expect(passedOn).toBeLessThan(11 * messagesPerSecond);
  expect(passedOn).toBeGreaterThan(10 * messagesPerSecond);
});
