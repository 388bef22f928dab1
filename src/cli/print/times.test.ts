import fc from 'fast-check';
import { expect, test } from 'vitest';
import { between, durationText } from './times.ts';

test('a duration is rounded as a whole, and never to 60 seconds', () => {
  expect(durationText(340)).toBe('340 ms');
  expect(durationText(12_345)).toBe('12.3 s');
  expect(durationText(59_949)).toBe('59.9 s');
  expect(durationText(59_950)).toBe('1 min 0 s');
  expect(durationText(119_600)).toBe('2 min 0 s');
  expect(durationText(245_000)).toBe('4 min 5 s');
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 100_000_000 }), (ms) => {
      const [, minutes = '0', seconds = ''] =
        /^(?:(\d+) min )?(\d+(?:\.\d)?) s$/.exec(durationText(ms)) ?? [];
      expect(Number(seconds)).toBeLessThan(60);
      expect(Math.abs(Number(minutes) * 60_000 + Number(seconds) * 1000 - ms)).toBeLessThanOrEqual(500);
    }),
  );
});

test('a time that is missing has no distance, and a clock that went back none below zero', () => {
  expect(between('', '2026-11-21T08:00:00Z')).toBe('');
  expect(between('2026-11-21T08:00:01Z', '2026-11-21T08:00:00Z')).toBe('0 ms');
});
