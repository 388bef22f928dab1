import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantSecondsOf } from './grant-seconds.ts';

/** In milliseconds and whole thousandths of them, so that the exact value is known. */
const units = { ms: 1n, s: 1000n, m: 60_000n, h: 3_600_000n, d: 86_400_000n } as const;
const part = fc.record({
  whole: fc.oneof(fc.nat(200), fc.nat(100_000)),
  thousandths: fc.oneof(fc.constant(0), fc.nat(999)),
  unit: fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[])),
});
const written = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ({
  text: parts
    .map(
      ({ whole, thousandths: less, unit }) =>
        `${whole}${less === 0 ? '' : `.${`${less}`.padStart(3, '0')}`}${unit}`,
    )
    .join(''),
  microseconds: parts.reduce(
    (sum, { whole, thousandths, unit }) => sum + (BigInt(whole) * 1000n + BigInt(thousandths)) * units[unit],
    0n,
  ),
}));

test('A-82: a grant holds exactly as long as was said, or is refused: no duration is rounded', () => {
  let taken = 0;
  fc.assert(
    fc.property(written, ({ text, microseconds }) => {
      let seconds: number;
      try {
        seconds = grantSecondsOf(text);
      } catch {
        return true;
      }
      taken += 1;
      return BigInt(seconds) * 1_000_000n === microseconds && seconds >= 1 && seconds <= 86_400;
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 200_000 : 20_000 },
  );
  expect(taken).toBeGreaterThan(100);
});

test.each([
  ['90s', 90],
  ['1m30s', 90],
  ['1.5m', 90],
  ['10m', 600],
  ['24h', 86_400],
])('%s is %i seconds', (text, seconds) => expect(grantSecondsOf(text)).toBe(seconds));

test.each(['', '0s', '1', '-1s', '500ms', '999.6ms', '90000ms', '1.5s', '24h1s', '2d', 'Infinity', '1e1s'])(
  'A-82: %j is refused',
  (text) => expect(() => grantSecondsOf(text)).toThrow(/whole seconds/),
);
