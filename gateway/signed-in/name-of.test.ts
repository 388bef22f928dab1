import { expect, test } from 'vitest';
import { nameOf } from './name-of.ts';

/** Every character outside of ASCII that is a character of ASCII once it is a small letter, or a capital. */
const folding = Array.from({ length: 0x11_0000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80)).filter(
  (each) =>
    [each.toLowerCase(), each.toUpperCase(), each.normalize('NFKC')].some((as) => /^[!-~]+$/.test(as)),
);

test('A-173: no letter outside of ASCII becomes a letter of a name', () => {
  expect(folding).toContain('\u212a');
  const names = folding.flatMap((letter) => [letter, `an${letter}`, `${letter}at@example.com`]);
  expect(names.filter((name) => 'value' in nameOf('preferred_username', name))).toEqual([]);
});

test('capitals of ASCII are small letters, and an address of mail is a name', () => {
  expect(nameOf('preferred_username', 'Ann')).toEqual({ value: 'ann' });
  expect(nameOf('email', 'Ann.K@Example.com')).toEqual({ value: 'ann.k.at.example.com' });
  expect(nameOf('email', ['ann'])).toHaveProperty('refused');
});
