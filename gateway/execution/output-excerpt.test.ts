import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createExcerpt, excerptBytes } from './output-excerpt.ts';

const stream = randomBytes(4 * excerptBytes);

test('keeps both ends of a stream, however it is cut into pieces, and says what is missing', () => {
  const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(2 * excerptBytes)), { maxLength: 40 });
  fc.assert(
    fc.property(lengths, (pieces) => {
      const { add, excerpt } = createExcerpt();
      let total = 0;
      for (const length of pieces) {
        const piece = stream.subarray(total, total + length);
        add(piece);
        total += piece.length;
      }
      const { head, dropped, tail } = excerpt();
      const all = stream.subarray(0, total);
      expect(Buffer.compare(head, all.subarray(0, excerptBytes))).toBe(0);
      const rest = all.subarray(head.length);
      expect(Buffer.compare(tail, rest.subarray(Math.max(0, rest.length - excerptBytes)))).toBe(0);
      expect(head.length + dropped + tail.length).toBe(total);
    }),
    { numRuns: 200 },
  );
});

test('does not hold on to what it was given', () => {
  const { add, excerpt } = createExcerpt();
  const bytes = new Uint8Array(2 * excerptBytes).fill(1);
  add(bytes);
  bytes.fill(2);
  const { head, tail } = excerpt();
  expect(new Set([...head, ...tail])).toEqual(new Set([1]));
});
