import { expect, test } from 'vitest';
import { DockerDemux } from '../init-client/docker-demux.ts';
import {
  encodeFrame,
  encodeFrameHeader,
  FrameError,
  FrameReader,
  frameHeaderBytes,
  maxFrameBytes,
} from './frames.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const inputs = long ? 1_000_000 : 20_000;
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

test('a frame of the largest length is one, one more byte is refused from the header alone', () => {
  const largest = encodeFrame(1, Buffer.alloc(maxFrameBytes, 'x'));
  expect(new FrameReader().push(largest)).toMatchObject([{ type: 1, payload: { length: maxFrameBytes } }]);
  const reader = new FrameReader();
  expect(() => reader.push(encodeFrameHeader(1, maxFrameBytes + 1))).toThrow(FrameError);
});

test(
  `P21: the frame reader sees in ${inputs} streams what is there, however they are cut and damaged (CLAWRDEN_SEED=${first})`,
  () => {
    let frames = 0;
    let refused = 0;
    for (let seed = first; seed < first + inputs; seed += 1) {
      const throwDice = diceOf(seed);
      const stream = madeUpStream(throwDice);
      const expected = readWhole(stream);
      const seen = seed % 2 === 0 ? readInPieces(stream, throwDice) : readDemuxed(stream, throwDice);
      // Not `expect`: a million calls of it take longer than the rest of the test.
      if (!alike(seen, expected)) expect({ seed, ...seen }).toEqual({ seed, ...expected });
      frames += seen.frames.length;
      refused += seen.refused ? 1 : 0;
    }
    expect(frames).toBeGreaterThan(inputs / 2);
    expect(refused).toBeGreaterThan(inputs / 20);
  },
  long ? 600_000 : 60_000,
);

interface Seen {
  /** `type:payload in latin1`. */
  readonly frames: readonly string[];
  readonly refused: boolean;
  /** Bytes of an unfinished frame; 0 if the reader refused the stream. */
  readonly pending: number;
}

type Dice = (below: number) => number;

/** The same cuts for the same seed (mulberry32). */
function diceOf(seed: number): Dice {
  let state = Math.imul(seed, 0x9e3779b9) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function madeUpStream(dice: Dice): Buffer {
  const frames = Array.from({ length: dice(6) }, () => encodeFrame(dice(24), madeUpPayload(dice)));
  const stream = Buffer.concat(frames);
  if (dice(2) === 0) return stream;
  for (let times = dice(4); times > 0 && stream.length > 0; times -= 1)
    stream[dice(Math.min(stream.length, 64))] = dice(256);
  return dice(3) === 0 ? stream.subarray(0, dice(stream.length + 1)) : stream;
}

function madeUpPayload(dice: Dice): Buffer {
  const kind = dice(10_000);
  const length =
    kind < 6000 ? dice(8) : kind < 9990 ? dice(200) : kind < 9999 ? dice(70_000) : dice(maxFrameBytes);
  const payload = Buffer.allocUnsafe(length);
  const start = dice(256);
  for (let at = 0; at < length; at += 1) payload[at] = start + at * 7 + (at >> 8);
  return payload;
}

/** What a reader sees that gets all bytes. */
function readWhole(stream: Buffer): Seen {
  const frames: string[] = [];
  let at = 0;
  while (stream.length - at >= frameHeaderBytes) {
    const length = stream.readUInt32BE(at + 1);
    if (length > maxFrameBytes) return { frames, refused: true, pending: 0 };
    const end = at + frameHeaderBytes + length;
    if (end > stream.length) break;
    frames.push(`${stream[at]}:${stream.toString('latin1', at + frameHeaderBytes, end)}`);
    at = end;
  }
  return { frames, refused: false, pending: stream.length - at };
}

function readInPieces(stream: Buffer, dice: Dice): Seen {
  return readBy(pieces(stream, dice), (piece) => [piece]);
}

/** As an engine sends it, with output on stderr in between. */
function readDemuxed(stream: Buffer, dice: Dice): Seen {
  const parts = pieces(stream, dice).flatMap((piece) => {
    const parcel = (fd: number, bytes: Buffer) => Buffer.concat([demuxHeader(fd, bytes.length), bytes]);
    return dice(4) === 0 ? [parcel(2, piece), parcel(1, piece)] : [parcel(1, piece)];
  });
  const demux = new DockerDemux();
  return readBy(pieces(Buffer.concat(parts), dice), (piece) =>
    demux.push(piece).flatMap(({ stream: fd, bytes }) => (fd === 1 ? [bytes] : [])),
  );
}

function readBy(chunks: readonly Buffer[], unpack: (chunk: Buffer) => readonly Buffer[]): Seen {
  const reader = new FrameReader();
  const frames: string[] = [];
  try {
    for (const chunk of chunks)
      for (const bytes of unpack(chunk))
        for (const { type, payload } of reader.push(bytes))
          frames.push(`${type}:${payload.toString('latin1')}`);
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return { frames, refused: true, pending: 0 };
  }
  return { frames, refused: false, pending: reader.pending };
}

function demuxHeader(fd: number, length: number): Buffer {
  const header = Buffer.alloc(8);
  header[0] = fd;
  header.writeUInt32BE(length, 4);
  return header;
}

function pieces(stream: Buffer, dice: Dice): Buffer[] {
  const most = dice(3) === 0 ? 7 : 70_000;
  const found: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const length = stream.length > 20_000 ? 1 + dice(65_536) : 1 + dice(most);
    found.push(stream.subarray(at, at + length));
    at += length;
  }
  return found;
}

/** If a chunk holds a refused frame, the reader may refuse the frames before it in that chunk too. */
function alike(seen: Seen, all: Seen): boolean {
  return (
    seen.refused === all.refused &&
    seen.pending === all.pending &&
    (seen.refused || seen.frames.length === all.frames.length) &&
    seen.frames.every((frame, index) => frame === all.frames[index])
  );
}
