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
function read(
  chunks: readonly Buffer[],
  { waitOf, bringsMany }: { waitOf: () => number; bringsMany: boolean },
) {
  const stream = new Readable({ read: () => {}, autoDestroy: false });
  const pieces: Buffer[] = [];
  const state = { ended: false, requests: 0, refused: 0, peer: { heldBytes: 0 } };
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece);
    stream.pause();
    setImmediate(() => stream.resume());
  });
  stream.on('end', () => (state.ended = true));
  const call = stream as unknown as ServerHttp2Stream;
  const counted = unfinishedMessages().count(call, state.peer, () => void (state.refused += 1));
  // The first chunks may come before anything reads the call.
  for (const chunk of chunks.slice(0, chunks.length / 2)) stream.push(chunk);
  counted.watch({
    ...{ onContent: () => {}, onMessage: () => {}, onRequest: () => void (state.requests += 1) },
    ...{ charge: waiting(waitOf), bound: boundOf(), bringsMany },
  });
  for (const chunk of chunks.slice(chunks.length / 2)) stream.push(chunk);
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
      fc.boolean(),
      async (sizes, cuts, waits, bringsMany) => {
        const sent = Buffer.concat(sizes.map(encoded));
        let asked = 0;
        const waitOf = () => waits[asked++ % waits.length] ?? 0;
        const { pieces, state } = read(cut(sent, cuts), { waitOf, bringsMany });
        await expect.poll(() => state.ended, { interval: 1 }).toBe(true);
        expect(asked).toBe(pieces.length);
        expect(Buffer.concat(pieces).equals(sent)).toBe(true);
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(mostAtOnce * (5 + 9000));
        if (sizes.every((size) => size === 0))
          for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual((mostAtOnce + 1) * 5);
        expect([state.peer.heldBytes, state.refused]).toEqual([0, 0]);
        expect(state.requests).toBe(bringsMany && sizes.length === 0 ? 0 : 1);
      },
    ),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 50 },
  );
});

/** What comes for a call that nothing reads. */
function unread() {
  const stream = new Readable({ read: () => {} });
  const [peer, refused] = [{ heldBytes: 0 }, [] as string[]];
  unfinishedMessages().count(stream as unknown as ServerHttp2Stream, peer, (why) => refused.push(why));
  return { stream, peer, refused };
}

test('A-422 P20, P21: what comes for a call that nobody reads is counted until the call is closed, and has a bound', async () => {
  const { stream, peer, refused } = unread();
  const chunk = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < 70; count += 1) stream.push(chunk);
  expect(refused.length).toBeGreaterThan(0);
  expect(stream.readableLength).toBeLessThanOrEqual(64 * chunk.length);
  expect(peer.heldBytes).toBeGreaterThanOrEqual(stream.readableLength);
  stream.destroy();
  await expect.poll(() => peer.heldBytes, { interval: 1 }).toBe(0);
});

test('A-422 P21: a byte that waits keeps nothing of what was read with it, and counts as more than a byte', () => {
  const { stream, peer } = unread();
  for (let count = 0; count < 100; count += 1) stream.push(Buffer.alloc(16_384).subarray(0, 1));
  expect(peer.heldBytes).toBeGreaterThan(100 * 200);
  const [first] = [stream.read(1) as Buffer];
  expect(first.length).toBe(1);
  expect(first.buffer.byteLength).toBeLessThan(200);
});
