import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { RelayServiceService } from '../../../src/gen/clawrden/v1/relay.ts';
import { waiting } from './charge.ts';
import { Connection } from './connection.ts';
import { boundOf } from './message-bounds.ts';
import { callersPace } from './pace.ts';
import { addressLimits, PeerShare } from './peer-share.ts';
import { type Holder, unfinishedMessages } from './unfinished-messages.ts';

afterEach(() => void vi.useRealTimers());

const mostAtOnce = 16;
const noneHeld = () => ({ heldBytes: 0, holders: new Set<Holder>() });

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
  const state = { ended: false, requests: 0, refused: 0, peer: noneHeld() };
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece);
    stream.pause();
    void setImmediate().then(() => stream.resume());
  });
  stream.on('end', () => (state.ended = true));
  const call = stream as unknown as ServerHttp2Stream;
  const refuse = () => void (state.refused += 1);
  const counted = unfinishedMessages().count(call, state.peer, { isAhead: false, refuse });
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
function unread(peer = noneHeld(), isAhead = false, { count } = unfinishedMessages()) {
  const stream = new Readable({ read: () => {} });
  const refused: string[] = [];
  const call = stream as unknown as ServerHttp2Stream;
  const refuse = (why: string) => void refused.push(why);
  const counted = count(call, peer, { isAhead, refuse });
  return { stream, peer, refused, counted };
}

const mebibyte = Buffer.alloc(1024 * 1024);
const fill = (stream: Readable, mebibytes: number) => {
  for (let count = 0; count < mebibytes; count += 1) stream.push(mebibyte);
};

test('A-422 P20, P21: what comes for a call that nobody reads is counted until the call is closed, and has a bound', async () => {
  const { stream, peer, refused } = unread();
  fill(stream, 63);
  expect(peer.heldBytes).toBeGreaterThanOrEqual(stream.readableLength);
  fill(stream, 7);
  expect(refused).toHaveLength(1);
  expect(stream.readableLength).toBeLessThanOrEqual(64 * mebibyte.length);
  expect([stream.destroyed, peer.heldBytes]).toEqual([true, 0]);
  const other = unread(peer);
  fill(other.stream, 3);
  other.stream.destroy();
  await expect.poll(() => peer.heldBytes, { interval: 1 }).toBe(0);
});

test('A-470 P20: of a peer whose room is full the call ends for which most waits, and never one that others wait for', () => {
  const peer = noneHeld();
  const [ahead, bystander] = [unread(peer, true), unread(peer)];
  fill(ahead.stream, 30);
  fill(bystander.stream, 1);
  const floods = Array.from({ length: 4 }, () => unread(peer));
  for (const [at, { stream }] of floods.entries()) fill(stream, 6 + at);
  expect(floods.flatMap(({ refused }) => refused)).toEqual([]);
  fill(bystander.stream, 2);
  fill(ahead.stream, 2);
  expect(floods.map(({ refused }) => refused.length)).toEqual([0, 0, 0, 1]);
  expect(peer.heldBytes).toBeLessThan(60 * mebibyte.length);
  fill(ahead.stream, 10);
  expect(floods.map(({ refused }) => refused.length)).toEqual([0, 0, 1, 1]);
  expect([ahead, bystander].flatMap(({ refused }) => refused)).toEqual([]);
});

test('A-470 P20: if all peers together hold too much, the one that holds most has a call ended, and no other', () => {
  const room = unfinishedMessages();
  const [small, ...large] = [1, 63, 63, 63, 60].map((mebibytes) => {
    const { stream, refused } = unread(noneHeld(), false, room);
    fill(stream, mebibytes);
    return { stream, refused };
  });
  fill(small!.stream, 10);
  expect(large.map(({ refused }) => refused.length)).toEqual([1, 0, 0, 0]);
  expect(small!.refused).toEqual([]);
});

test('A-422 P21: a byte that waits keeps nothing of what was read with it, and counts as more than a byte', () => {
  const { stream, peer } = unread();
  for (let count = 0; count < 100; count += 1) stream.push(Buffer.alloc(16_384).subarray(0, 1));
  expect(peer.heldBytes).toBeGreaterThan(100 * 200);
  const [first] = [stream.read(1) as Buffer];
  expect(first.length).toBe(1);
  expect(first.buffer.byteLength).toBeLessThan(200);
});

const lane = boundOf(RelayServiceService.carry.path);
const nothing = { onContent: () => {}, onMessage: () => {}, onRequest: () => {} };

test('A-469 P20, P21: what waits in a lane counts less only while somebody has taken it, whatever has come', async () => {
  const { stream, peer, counted } = unread();
  // A reader that wants one message.
  stream.on('data', () => void stream.pause());
  counted.watch({ ...nothing, charge: () => true, bound: lane, bringsMany: true });
  stream.push(encoded(20));
  await setImmediate();
  stream.push(mebibyte);
  expect(peer.heldBytes).toBeGreaterThan(mebibyte.length);
  counted.countAsLane(true);
  stream.push(mebibyte);
  expect(peer.heldBytes).toBeLessThan(4096);
  counted.countAsLane(false);
  expect(peer.heldBytes).toBeGreaterThan(2 * mebibyte.length);
});

test('A-469 P21: what is left of a call that was answered is let go, whatever its sender owes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const served = new Connection(new Socket(), callersPace, new PeerShare(addressLimits));
  const peer = noneHeld();
  const come = Promise.withResolvers<ServerHttp2Stream>();
  let messages = 0;
  const server = createServer().on('stream', (stream) => {
    served.streamed(stream);
    stream.on('data', () => {}).pause();
    const counted = unfinishedMessages().count(stream, peer, { isAhead: false, refuse: () => {} });
    const onMessage = () => void (messages += 1);
    counted.watch({ ...nothing, onMessage, charge: () => false, bound: lane, bringsMany: true });
    stream.respond({}, { endStream: true });
    stream.resume();
    come.resolve(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.request({ ':method': 'POST' }).resume().write(Buffer.alloc(60_000));
  const stream = await come.promise;
  await expect.poll(() => messages).toBeGreaterThan(0);
  vi.advanceTimersByTime(2000);
  served.endAnswered();
  await expect.poll(() => [peer.heldBytes, stream.destroyed]).toEqual([0, true]);
  // Twelve thousand came in a few chunks: nobody would get them, and nobody pays for reading them.
  expect(messages).toBeLessThan(100);
  session.destroy();
  server.close();
});
