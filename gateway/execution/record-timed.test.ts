import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimedRecorder, type TimedRecorder } from './record-timed.ts';
import { entriesOf, type RecordingEntry } from './recording-entries.ts';
import { partBytes, partsOfAnEnd } from './recording-parts.ts';
import { createRecordingRoom } from './recording-room.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 500 : 30;
const terminal = { cols: 100, rows: 30 };

interface Written {
  readonly afterMs: number;
  readonly fd: 1 | 2;
  readonly bytes: Uint8Array;
}

/** Each chunk is of one byte, so that what is left can be found again. */
const written = (most: number): fc.Arbitrary<Written> =>
  fc
    .record({
      afterMs: fc.constantFrom(0, 0, 3, 40),
      fd: fc.constantFrom(1 as const, 2 as const),
      size: fc.nat(most),
      fill: fc.nat(255),
    })
    .map(({ size, fill, ...rest }) => ({ ...rest, bytes: Buffer.alloc(size, fill) }));

function record(all: readonly Written[], parts: number) {
  let at = 0;
  const room = createRecordingRoom(parts * partBytes);
  const recorder = createTimedRecorder(room.of('coder'), terminal, () => at);
  for (const { afterMs, fd, bytes } of all) {
    at += afterMs;
    recorder.add(fd, bytes);
  }
  return { recorder, entries: entriesIn(recorder) };
}

/** Each byte with its stream, as two bytes. */
function streamed(all: readonly { readonly fd: 1 | 2; readonly bytes: Uint8Array }[]): Buffer {
  return Buffer.concat(
    all.map(({ fd, bytes }) => {
      const pairs = Buffer.alloc(bytes.length * 2, fd);
      for (let at = 0; at < bytes.length; at += 1) pairs[2 * at] = bytes[at] ?? 0;
      return pairs;
    }),
  );
}

const entriesIn = (recorder: TimedRecorder) =>
  recorder.recording().parts.flatMap((part) => [...entriesOf(part)]);

const bytesOf = (entries: readonly RecordingEntry[]) =>
  streamed(entries.flatMap((entry) => ('bytes' in entry ? [entry] : [])));

test('all of a short output is kept, in its order, with times that come near', () => {
  fc.assert(
    fc.property(fc.array(written(300), { maxLength: 60 }), (all) => {
      const { entries } = record(all, 4);
      expect(bytesOf(entries).equals(streamed(all))).toBe(true);
      let at = 0;
      const times = all.flatMap(({ afterMs, bytes }) => {
        at += afterMs;
        return [...bytes].map(() => at);
      });
      const kept = entries.flatMap((entry) => ('bytes' in entry ? [...entry.bytes].map(() => entry.ms) : []));
      for (const [index, ms] of kept.entries()) {
        expect(ms).toBeLessThanOrEqual(times[index] ?? 0);
        expect(ms).toBeGreaterThanOrEqual((times[index] ?? 0) - 10);
      }
    }),
    { numRuns },
  );
});

test('of a long one the beginning and the end are kept, and how much was between them', () => {
  fc.assert(
    fc.property(fc.array(written(partBytes), { minLength: 5, maxLength: 20 }), (all) => {
      const { entries } = record(all, 4);
      const told = streamed(all);
      const gap = entries.findIndex((entry) => 'dropped' in entry);
      const entry = entries[gap];
      const dropped = entry !== undefined && 'dropped' in entry ? entry.dropped : 0;
      const head = bytesOf(gap === -1 ? entries : entries.slice(0, gap));
      const tail = bytesOf(gap === -1 ? [] : entries.slice(gap + 1));
      expect(head.length + 2 * dropped + tail.length).toBe(told.length);
      expect(head.equals(told.subarray(0, head.length))).toBe(true);
      expect(tail.equals(told.subarray(told.length - tail.length))).toBe(true);
      if (told.length / 2 > 4 * partBytes) expect(dropped).toBeGreaterThan(0);
    }),
    { numRuns: 10 },
  );
});

test('an execution has 8 MiB, and all of them share a room; what one has is given back', () => {
  const lot = { afterMs: 1, fd: 1, bytes: Buffer.alloc(3 * 1024 * 1024) } as const;
  const { recorder } = record([lot, lot, lot, lot], 1000);
  const { parts } = recorder.recording();
  expect(parts).toHaveLength(2 * partsOfAnEnd + 1);
  expect(parts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(8 * 1024 * 1024 + 100);

  const room = createRecordingRoom(2 * partBytes).of('coder');
  const [first, second] = [createTimedRecorder(room, undefined), createTimedRecorder(room, undefined)];
  first.add(1, lot.bytes);
  // The room is full, and a part is the least that each has.
  second.add(1, lot.bytes);
  expect([first, second].map((each) => each.recording().parts.length)).toEqual([3, 2]);
  const another = room(() => 0);
  expect(another.take(1)).toBe(false);
  first.release();
  second.release();
  expect(another.take(2 * partBytes)).toBe(true);
});

test('A-410: recordings of one agent that fill the room leave the others as much as it has', () => {
  const room = createRecordingRoom(12 * partBytes);
  const chunks = Array.from(
    { length: 40 },
    (_, at) => ({ fd: 1, bytes: Buffer.alloc(partBytes / 4, at) }) as const,
  );
  const recordAll = (agent: string, some: typeof chunks) => {
    const recorder = createTimedRecorder(room.of(agent), undefined);
    for (const { fd, bytes } of some) recorder.add(fd, bytes);
    return recorder;
  };
  const hog = Array.from({ length: 3 }, () => recordAll('hog', chunks));
  const short = chunks.slice(0, 10);
  const own = entriesIn(recordAll('coder', short));
  expect(own.some((entry) => 'dropped' in entry)).toBe(false);
  expect(bytesOf(own).equals(streamed(short))).toBe(true);
  // Of what the short one leaves these two have the same: four parts, with the gap between them.
  expect(recordAll('writer', chunks).recording().parts.length).toBeGreaterThanOrEqual(5);
  for (const recorder of hog) {
    const entries = entriesIn(recorder);
    const gap = entries.find((entry) => 'dropped' in entry);
    expect(bytesOf(entries).length / 2 + (gap !== undefined && 'dropped' in gap ? gap.dropped : 0)).toBe(
      10 * partBytes,
    );
    expect(bytesOf(entries).at(-2)).toBe(39);
  }
});

test('A-410: what is being written to the disk stays as it is', () => {
  const room = createRecordingRoom(4 * partBytes);
  const lot = Buffer.alloc(3 * partBytes, 7);
  const ended = createTimedRecorder(room.of('hog'), undefined);
  ended.add(1, lot);
  const before = ended.recording().parts.map((part) => Buffer.from(part));
  createTimedRecorder(room.of('coder'), undefined).add(1, lot);
  expect(ended.recording().parts.map((part) => Buffer.from(part))).toEqual(before);
});
