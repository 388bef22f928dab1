import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numbersOf, toToken } from './page-token.ts';

const numRuns = process.env.CLAWRDEN_LONG ? 20_000 : 500;
const place = fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 3 });

test('A-79: a page token is read as it was written and in no other way', () => {
  fc.assert(
    fc.property(place, fc.nat(), fc.constantFrom('=', '+', '/', ' ', '\n', 'A', ''), (numbers, n, put) => {
      const token = toToken('history', numbers);
      expect(numbersOf('history', token)).toEqual(numbers);
      const at = n % (token.length + 1);
      const change = token.slice(0, at) + put + token.slice(at + (n % 2));
      let read: readonly number[] | undefined;
      try {
        read = numbersOf('history', change);
      } catch (error) {
        expect(error).toMatchObject({ code: 3 });
      }
      if (change !== token && read !== undefined) expect(read).not.toEqual(numbers);
    }),
    { numRuns },
  );
});

test('A-79: a page token with bits that belong to no byte, or with padding, is refused', () => {
  const token = toToken('history', [12]);
  expect(token.length % 4).not.toBe(0);
  const last = Buffer.from(token, 'base64url');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const same = [...alphabet]
    .map((character) => token.slice(0, -1) + character)
    .filter((text) => text !== token && Buffer.from(text, 'base64url').equals(last));
  expect(same.length).toBeGreaterThan(0);
  for (const text of [...same, `${token}=`, `${token}==`, `${token}\n`])
    expect(() => numbersOf('history', text)).toThrow(/page_token/);
});
