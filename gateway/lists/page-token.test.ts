import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numbersOf, toToken } from './page-token.ts';
import { createSeal } from './seal.ts';

const seal = createSeal();

const numRuns = process.env.CLAWRDEN_LONG ? 20_000 : 500;
const place = fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 3 });

test('A-79: a page token is read as it was written and in no other way', () => {
  fc.assert(
    fc.property(place, fc.nat(), fc.constantFrom('=', '+', '/', ' ', '\n', 'A', ''), (numbers, n, put) => {
      const token = toToken(seal, 'history', numbers);
      expect(numbersOf(seal, 'history', token)).toEqual(numbers);
      const at = n % (token.length + 1);
      const change = token.slice(0, at) + put + token.slice(at + (n % 2));
      let read: readonly number[] | undefined;
      try {
        read = numbersOf(seal, 'history', change);
      } catch (error) {
        expect(error).toMatchObject({ code: 'request-invalid' });
      }
      if (change !== token) expect(read).toBeUndefined();
    }),
    { numRuns },
  );
});

test('A-79: a page token with bits that belong to no byte, or with padding, is refused', () => {
  const token = toToken(seal, 'history', [12]);
  expect(token.length % 4).not.toBe(0);
  const last = Buffer.from(token, 'base64url');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const same = [...alphabet]
    .map((character) => token.slice(0, -1) + character)
    .filter((text) => text !== token && Buffer.from(text, 'base64url').equals(last));
  expect(same.length).toBeGreaterThan(0);
  for (const text of [...same, `${token}=`, `${token}==`, `${token}\n`])
    expect(() => numbersOf(seal, 'history', text)).toThrow(/page_token/);
});

test('P18: a page token says nothing of the rows that its reader does not see, not by its length either', () => {
  const tokens = [0, 7, 4_000_000, Number.MAX_SAFE_INTEGER].map((row) => toToken(seal, 'history', [1, row]));
  expect(new Set(tokens.map((token) => token.length)).size).toBe(1);
  expect(tokens.map((token) => Buffer.from(token, 'base64url').toString('latin1')).join()).not.toContain(
    'history',
  );
  expect(() => numbersOf(createSeal(), 'history', tokens[0] ?? '')).toThrow(/page_token/);
});
