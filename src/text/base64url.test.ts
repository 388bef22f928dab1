import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64url, jsonFromBase64url, toBase64url } from './base64url.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** With what other readers of Base64 take or skip. */
const all = [...alphabet, '+', '/', '=', ' ', '\n', '.', '\0', '\u00e9'];
const numRuns = process.env.CLAWRDEN_LONG ? 100_000 : 2000;

test('P4: of all short texts only those are read that encoding writes', () => {
  const one = Array.from({ length: 256 }, (_, byte) => toBase64url(Uint8Array.of(byte)));
  const two = Array.from({ length: 65_536 }, (_, n) => toBase64url(Uint8Array.of(n >> 8, n & 255)));
  const written = new Set(['', ...one, ...two]);
  expect(written.size).toBe(1 + 256 + 65_536);
  const wrong: string[] = [];
  let read = 0;
  let texts = [''];
  for (let length = 0; length <= 3; length += 1) {
    for (const text of texts) {
      const isRead = fromBase64url(text) !== undefined;
      if (isRead) read += 1;
      if (isRead !== written.has(text)) wrong.push(text);
    }
    if (length < 3) texts = texts.flatMap((text) => all.map((character) => text + character));
  }
  expect(wrong).toEqual([]);
  expect(read).toBe(written.size);
});

/** One place of a text is changed, taken away or added. */
const edited = (text: fc.Arbitrary<string>) =>
  fc
    .record({
      text,
      at: fc.nat(),
      drop: fc.nat(1),
      add: fc.string({ unit: fc.constantFrom(...all), maxLength: 2 }),
    })
    .map(({ text: whole, at, drop, add }) => {
      const place = at % (whole.length + 1);
      return [whole, whole.slice(0, place) + add + whole.slice(place + drop)] as const;
    });

test('P4: bytes come back, and no other text is read as the same bytes', () => {
  const encoded = fc.uint8Array({ maxLength: 80 }).map(toBase64url);
  let other = 0;
  fc.assert(
    fc.property(edited(encoded), ([text, change]) => {
      expect(toBase64url(fromBase64url(text)!)).toBe(text);
      if (change === text) return;
      other += 1;
      const bytes = fromBase64url(change);
      if (bytes !== undefined) expect(toBase64url(bytes)).not.toBe(text);
    }),
    { numRuns },
  );
  expect(other).toBeGreaterThan(numRuns / 2);
});

test('P4: a JSON value comes back, and no other text is read as the same value', () => {
  const encoded = fc.json().map((text) => toBase64url(JSON.stringify(JSON.parse(text))));
  fc.assert(
    fc.property(edited(encoded), ([text, change]) => {
      const value = JSON.stringify(jsonFromBase64url(text)!.value);
      const read = jsonFromBase64url(change);
      if (change !== text && read !== undefined) expect(JSON.stringify(read.value)).not.toBe(value);
    }),
    { numRuns },
  );
  const loose = ['{"a":1,"a":1}', '{ "a": 1 }', '1.0', '"\\u0041"', '{"a":1}\n', '', '\ufeff1', '{'];
  expect(loose.filter((text) => jsonFromBase64url(toBase64url(text)) !== undefined)).toEqual([]);
  expect(jsonFromBase64url(toBase64url(Uint8Array.of(0x22, 0xff, 0x22)))).toBeUndefined();
  expect(jsonFromBase64url(toBase64url('null'))).toEqual({ value: null });
}, 180_000);
