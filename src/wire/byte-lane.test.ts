import { createHash, randomBytes } from 'node:crypto';
import { Duplex, PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteLane, laneMessageBytes } from './byte-lane.ts';

interface Message {
  readonly bytes: Uint8Array;
}

const over = (stream: Duplex): Duplex =>
  byteLane(stream, {
    wrap: (bytes): Message => ({ bytes }),
    unwrap: ({ bytes }: Message) => bytes,
    abort: () => stream.destroy(),
  });

/** Two ends of messages, of which at most `most` wait on the way. */
function pair(most = 2): readonly [Duplex, Duplex] {
  const way = () => new PassThrough({ objectMode: true, highWaterMark: most });
  const [there, back] = [way(), way()];
  const end = (readable: PassThrough, writable: PassThrough) =>
    Duplex.from({ readable, writable }).on('error', () => {});
  return [end(back, there), end(there, back)];
}

test('every byte arrives in order, in messages of at most 64 KiB, in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3 * laneMessageBytes), { maxLength: 6 }), async (sizes) => {
      const [left, right] = pair();
      const [one, other] = [over(left), over(right)];
      const sent = sizes.map((size) => randomBytes(size));
      const arrived = buffer(other);
      for (const chunk of sent) one.write(chunk);
      one.end();
      expect(hash(await arrived)).toBe(hash(Buffer.concat(sent)));
      const answered = buffer(one);
      other.end(sent[0]);
      expect((await answered).length).toBe(sent[0]?.length ?? 0);
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 500 : 20 },
  );
});

test('P22: who does not read holds the writer back within a few messages', async () => {
  const [left, right] = pair();
  const [one, other] = [over(left), over(right)];
  let taken = 0;
  for (let count = 0; count < 100; count++) one.write(Buffer.alloc(laneMessageBytes), () => (taken += 1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(taken).toBeLessThan(50);
  other.resume();
  await expect.poll(() => taken).toBe(100);
});

test.each([
  ['a message that is too large', { bytes: new Uint8Array(laneMessageBytes + 1) }],
  ['a message of another kind', {}],
  ['A-323 P20: an empty message', { bytes: new Uint8Array(0) }],
])('%s ends the lane', async (_what, message) => {
  const [left, right] = pair();
  const lane = over(left);
  lane.resume();
  right.write(message);
  await expect.poll(() => lane.destroyed).toBe(true);
});

test('the end of the connection is the end of the lane', async () => {
  const [left] = pair();
  const lane = over(left);
  left.destroy();
  await expect.poll(() => lane.destroyed).toBe(true);
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
