import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCount } from './list-command.ts';

test('a count is a whole number within its bounds, and nothing else', () => {
  expect([parseCount(0)('0'), parseCount(1)('1'), parseCount(1)('100000')]).toEqual([0, 1, 100_000]);
  for (const text of ['', '0', '-1', '1.5', '1e3', '0x10', ' 7', 'ten', '100001', 'Infinity'])
    expect(() => parseCount(1)(text)).toThrow(InvalidArgumentError);
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^\d+$/.test(text));
      expect(() => parseCount(0)(text)).toThrow(InvalidArgumentError);
    }),
  );
});
