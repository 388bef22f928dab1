import { expect, test } from 'vitest';
import { EarlyInputs } from './early-inputs.ts';

test('A-520 P22: before a tool has started each signal ends its command that would end a tool that just began', () => {
  const ending = [1, 2, 3, 10, 12, 15];
  for (const signal of [...ending, 18, 20]) {
    const early = new EarlyInputs();
    early.keep({ type: 'signal', signal });
    early.keep({ type: 'signal', signal: 15 });
    // The first one counts; CONT and TSTP end nothing.
    expect(early.endingSignal).toBe(ending.includes(signal) ? signal : 15);
  }
});
