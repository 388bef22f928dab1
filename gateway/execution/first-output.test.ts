import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFirstOutput } from './first-output.ts';

const pieces = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 });

test('of a stream its beginning is kept, and its end with the place where that begins, however it came', () => {
  fc.assert(
    fc.property(pieces, (given) => {
      const output = createFirstOutput(20, 8);
      for (const piece of given) output.add(piece);
      const all = Buffer.concat(given);
      const { bytes, truncated, tail } = output.first();
      expect(bytes).toEqual(all.subarray(0, 20));
      expect(truncated).toBe(all.length > 20);
      const from = Math.max(20, all.length - 8);
      expect(tail).toEqual(all.length > 20 ? { from, bytes: all.subarray(from) } : undefined);
    }),
  );
});
