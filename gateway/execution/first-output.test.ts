import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFirstOutput, firstOutputBytes } from './first-output.ts';

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

test('what is behind a place is the same however it came', () => {
  fc.assert(
    fc.property(pieces, fc.nat(40), fc.nat(40), (given, place, most) => {
      const output = createFirstOutput(20, 8);
      for (const piece of given) output.add(piece);
      const kept = Buffer.concat(given).subarray(0, 20);
      expect(output.length()).toBe(kept.length);
      expect(output.behind(place, most)).toEqual(kept.subarray(place, place + most));
    }),
  );
});

test('A-300 P20: a MiB that comes byte by byte is looked at at once, and takes little more than a MiB', () => {
  const output = createFirstOutput();
  const byte = Buffer.from('a');
  const before = process.memoryUsage();
  for (let at = 0; at < firstOutputBytes; at += 1) output.add(byte);
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  expect(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(32 * firstOutputBytes);
  const begun = performance.now();
  for (let at = 0; at < 100; at += 1) {
    expect(output.behind(0, output.length())).toHaveLength(firstOutputBytes);
    expect(output.behind(firstOutputBytes - 1, 8)).toHaveLength(1);
  }
  expect(performance.now() - begun).toBeLessThan(1000);
});
