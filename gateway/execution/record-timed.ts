import type { TerminalSize } from '../../src/command.ts';
import type { WrittenRecording } from '../ports/recording.ts';
import { entriesOf, entryHead, gapPart, writeHead } from './recording-entries.ts';
import type { RecordingRoom } from './recording-room.ts';

/** Keeps what a command writes, with the time of each chunk. */
export interface TimedRecorder {
  readonly add: (fd: 1 | 2, bytes: Uint8Array) => void;
  readonly recording: () => WrittenRecording;
  /** Gives back its memory: nothing is asked of it any more. */
  readonly release: () => void;
}

export const partBytes = 64 * 1024;
/** Of the beginning, and as much of the end: 8 MiB an execution, the times counted. */
export const partsOfAnEnd = 64;
/** Chunks of one stream within this time are one: a tool may write each byte by itself. */
const togetherMs = 10;

interface Part {
  readonly buffer: Buffer;
  length: number;
  /** Of its last entry; undefined if that must not grow. */
  last: { readonly at: number; readonly fd: 1 | 2; readonly ms: number; length: number } | undefined;
}

/**
 * The first parts and the last ones; a silent command takes no memory. If the room that all recordings share is full,
 * the middle goes earlier.
 */
export function createTimedRecorder(
  room: RecordingRoom,
  terminal: TerminalSize | undefined,
  now: () => number = () => performance.now(),
): TimedRecorder {
  const [begun, begunAt] = [now(), Date.now()];
  const head: Part[] = [];
  let tail: Part[] | undefined;
  let dropped = 0;

  function nextPart(): Part {
    const isFull = head.length >= partsOfAnEnd || tail !== undefined;
    const hasRoom = !(isFull && tail !== undefined && tail.length >= partsOfAnEnd) && room.take(partBytes);
    if (!hasRoom && head.length + (tail?.length ?? 0) === 0) room.force(partBytes);
    else if (!hasRoom) return emptied();
    const part = { buffer: Buffer.allocUnsafe(partBytes), length: 0, last: undefined };
    if (isFull) tail = [...(tail ?? []), part];
    else head.push(part);
    return part;
  }

  /** The oldest part of the end, or, where there is no end yet, the last of the beginning. */
  function emptied(): Part {
    tail ??= [];
    const part = tail.shift() ?? (head.pop() as Part);
    for (const entry of entriesOf(part.buffer.subarray(0, part.length)))
      if ('bytes' in entry) dropped += entry.bytes.length;
    const empty = { buffer: part.buffer, length: 0, last: undefined };
    tail.push(empty);
    return empty;
  }

  const current = () => (tail ?? head).at(-1);

  /** How many of the bytes went into the last part. */
  function put(part: Part, fd: 1 | 2, ms: number, bytes: Uint8Array): number {
    const { last } = part;
    const isMore = last?.fd === fd && ms - last.ms <= togetherMs;
    const room = partBytes - part.length - (isMore ? 0 : entryHead);
    if (room <= 0) return 0;
    const taken = bytes.subarray(0, room);
    const entry = isMore ? last : { at: part.length, fd, ms, length: 0 };
    if (!isMore) part.length += entryHead;
    part.buffer.set(taken, part.length);
    part.length += taken.length;
    entry.length += taken.length;
    writeHead(part.buffer, entry.at, entry.ms, fd, entry.length);
    part.last = entry;
    return taken.length;
  }

  return {
    add: (fd, bytes) => {
      const ms = Math.round(now() - begun);
      for (let left = bytes; left.length > 0; ) {
        const part = current();
        const taken = part === undefined ? 0 : put(part, fd, ms, left);
        left = left.subarray(taken);
        if (left.length > 0) nextPart();
      }
    },
    recording: () => {
      const written = (parts: readonly Part[]) =>
        parts.map(({ buffer, length }) => buffer.subarray(0, length));
      const end = written(tail ?? []);
      const gap = dropped === 0 ? [] : [gapPart(end[0]?.readUInt32LE(0) ?? 0, dropped)];
      return { begunAt, terminal, parts: [...written(head), ...gap, ...end] };
    },
    release: () => room.give((head.length + (tail?.length ?? 0)) * partBytes),
  };
}
