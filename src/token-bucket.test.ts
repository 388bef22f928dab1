import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenBucket } from './token-bucket.ts';

const step = fc.record({
  pause: fc.constantFrom(0, 1, 10, 500, 5000),
  amount: fc.integer({ min: 1, max: 400 }),
  owes: fc.boolean(),
});

test('P20: over any stretch no more is taken than what is there at once and what comes meanwhile', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 200 }), fc.array(step, { maxLength: 200 }), (perSecond, steps) => {
      let now = 0;
      const bucket = tokenBucket(perSecond, () => now);
      let taken = 0;
      for (const { pause, amount, owes } of steps) {
        now += pause;
        if (owes) bucket.owe(amount);
        else if (!bucket.take(amount)) continue;
        taken += amount;
        if (!owes)
          expect(taken).toBeLessThanOrEqual(
            (2 + now / 1000) * perSecond + Math.max(0, amount - 2 * perSecond),
          );
      }
      now += bucket.waitMs();
      expect(bucket.waitMs()).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('what is slower than the rate is never refused, and what is larger than it ever holds is let through full', () => {
  let now = 0;
  const bucket = tokenBucket(10, () => now);
  for (let index = 0; index < 1000; index += 1, now += 100) expect(bucket.take(1)).toBe(true);
  now += 10_000;
  expect([bucket.take(500), bucket.take(1)]).toEqual([true, false]);
  now += bucket.waitMs() + 100;
  expect(bucket.take(1)).toBe(true);
});
