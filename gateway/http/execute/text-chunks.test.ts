import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextChunks } from './text-chunks.ts';

const bytes = (text: string) => Buffer.from(text);

test('chunks of a stream are the bytes of the stream, and text as long as it is text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }).map(bytes), fc.uint8Array({ maxLength: 60 })),
      fc.array(fc.nat(60), { maxLength: 12 }),
      (all, cuts) => {
        const borders = [0, ...cuts.map((at) => Math.min(at, all.length)).sort((a, b) => a - b), all.length];
        const chunks = createTextChunks();
        const parts = borders.flatMap(
          (from, at) => chunks.next(all.subarray(from, borders[at + 1] ?? from)) ?? [],
        );
        const last = chunks.rest();
        const told = [...parts, ...(last ? [last] : [])];
        const decoded = told.map(({ data, encoding }) =>
          Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8'),
        );
        expect(Buffer.concat(decoded)).toEqual(Buffer.from(all));
        const isText = Buffer.from(all).equals(bytes(Buffer.from(all).toString('utf8')));
        if (isText) expect(told.every(({ encoding }) => encoding === 'utf-8')).toBe(true);
      },
    ),
    { numRuns: process.env['CLAWRDEN_LONG'] ? 20_000 : 500 },
  );
});
