import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRecentOutput } from './recent-output.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 20_000 : 500;
const write = fc.record({ fd: fc.constantFrom(1 as const, 2 as const), length: fc.nat(30) });

test('what is behind a place is the end of what was written, of each stream and in order, and says what is missing', () => {
  fc.assert(
    fc.property(
      fc.array(write, { maxLength: 60 }),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(300),
      (all, most, at) => {
        const output = createRecentOutput(most);
        const written: { fd: number; byte: number }[] = [];
        for (const { fd, length } of all) {
          const bytes = Uint8Array.from({ length }, (_, index) => (written.length + index) % 251);
          output.add(fd, bytes);
          for (const byte of bytes) written.push({ fd, byte });
        }
        const place = Math.min(at, written.length);
        const { skipped, parts } = output.behind(place);
        const told = parts.flatMap(({ fd, bytes }) => [...bytes].map((byte) => ({ fd, byte })));
        expect(told).toEqual(written.slice(place + skipped));
        expect(skipped).toBe(Math.max(0, written.length - most - place));
        expect(output.total()).toBe(written.length);
        expect(parts.at(-1)?.place ?? written.length).toBe(written.length);
      },
    ),
    { numRuns },
  );
});

test('A-551 P20: streams that take turns with each byte keep a bounded number of turns', () => {
  const output = createRecentOutput();
  for (let at = 0; at < 100_000; at += 1) output.add(at % 2 === 0 ? 1 : 2, Uint8Array.of(at % 256));
  const { skipped, parts } = output.behind(0);
  expect(parts.length).toBeLessThanOrEqual(256);
  expect(skipped + parts.length).toBe(100_000);
});
