import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSince } from './parse-since.ts';

const now = Date.parse('2026-11-21T08:00:00Z');

test('--since takes a duration, or a date with or without a time', () => {
  expect(parseSince('1h', now)).toBe('2026-11-21T07:00:00.000Z');
  expect(parseSince('2026-11-21T08:00Z', now)).toBe('2026-11-21T08:00:00.000Z');
  expect(parseSince('2026-11-21', now)).toBe('2026-11-21T00:00:00.000Z');
});

test('a duration before all time is all of the history', () => {
  expect(parseSince('999999999d', now)).toBe('1970-01-01T00:00:00.000Z');
});

test.each(['5', '30', 'May', '1 h', '-1h', '2026', '2026-13-45', '21.11.2026', ''])(
  '%j is neither, and wrong usage, also if a date could be made of it',
  (text) => expect(() => parseSince(text, now)).toThrow(InvalidArgumentError),
);

test('any text is wrong usage or a time, and nothing else', () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-zT: +-]{1,24}$/));
  fc.assert(
    fc.property(texts, (text) => {
      try {
        expect(Date.parse(parseSince(text, now))).not.toBeNaN();
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidArgumentError);
      }
    }),
  );
});
