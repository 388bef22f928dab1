import type { ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waiting } from './charge.ts';
import { boundOf } from './message-bounds.ts';
import { unfinishedMessages } from './unfinished-messages.ts';

const mostAtOnce = 16;

function encoded(size: number): Buffer {
  const bytes = Buffer.alloc(5 + size, size);
  bytes[0] = 0;
  bytes.writeUInt32BE(size, 1);
  return bytes;
}

/** A stream with a reader like grpc-js: it pauses when it has a message, and resumes when it wants another. */
function read(chunks: readonly Buffer[], waitOf: () => number) {
  const stream = new Readable({ read: () => {}, autoDestroy: false });
  const pieces: Buffer[] = [];
  const state = { ended: false, peer: { unfinishedBytes: 0 } };
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece);
    stream.pause();
    setImmediate(() => stream.resume());
  });
  stream.on('end', () => (state.ended = true));
  const charge = waiting(waitOf);
  const heard = { onContent: () => {}, onMessage: () => {}, charge, bound: boundOf() };
  unfinishedMessages().watch(stream as unknown as ServerHttp2Stream, state.peer, heard);
  for (const chunk of chunks) stream.push(chunk);
  stream.push(null);
  return { pieces, state };
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [
    0,
    ...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ];
  return at
    .slice(1)
    .map((end, index) => bytes.subarray(at[index], end))
    .filter(({ length }) => length > 0);
}

const part = fc.double({ min: 0, max: 1, noNaN: true });

test('A-322 P20: every byte is handed on in order, before the end, and of small messages so many at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, fc.nat(9000)), { maxLength: 120 }),
      fc.array(part, { maxLength: 4 }),
      fc.array(fc.constantFrom(0, 0, 0, 1), { minLength: 1, maxLength: 9 }),
      async (sizes, cuts, waits) => {
        const sent = Buffer.concat(sizes.map(encoded));
        let asked = 0;
        const { pieces, state } = read(cut(sent, cuts), () => waits[asked++ % waits.length] ?? 0);
        await expect.poll(() => state.ended, { interval: 1 }).toBe(true);
        expect(asked).toBe(pieces.length);
        expect(Buffer.concat(pieces).equals(sent)).toBe(true);
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(mostAtOnce * (5 + 9000));
        if (sizes.every((size) => size === 0))
          for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual((mostAtOnce + 1) * 5);
        expect(state.peer.unfinishedBytes).toBe(0);
      },
    ),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 50 },
  );
});
