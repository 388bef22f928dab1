import type { TerminalSize } from '../../src/command.ts';
import type { WrittenRecording } from '../ports/recording.ts';
import { entryHead, gapPart, writeHead } from './recording-entries.ts';
import { createRecordingParts, partBytes, type RecordingPart } from './recording-parts.ts';
import type { OpenPlace } from './recording-room.ts';

/** Keeps what a command writes, with the time of each chunk. */
export interface TimedRecorder {
  readonly add: (fd: 1 | 2, bytes: Uint8Array) => void;
  readonly recording: () => WrittenRecording;
  /** Gives back its memory: nothing is asked of it any more. */
  readonly release: () => void;
}

/** Chunks of one stream within this time are one: a tool may write each byte by itself. */
const togetherMs = 10;

/** The last entry, which may grow. */
interface Entry {
  readonly part: RecordingPart;
  readonly at: number;
  readonly fd: 1 | 2;
  readonly ms: number;
  length: number;
}

/** A silent command takes no memory. */
export function createTimedRecorder(
  openPlace: OpenPlace,
  terminal: TerminalSize | undefined,
  now: () => number = () => performance.now(),
): TimedRecorder {
  const [begun, begunAt] = [now(), Date.now()];
  const parts = createRecordingParts(openPlace);
  let last: Entry | undefined;

  /** How many of the bytes went into the part. */
  function put(part: RecordingPart, fd: 1 | 2, ms: number, bytes: Uint8Array): number {
    const grows = last?.part === part && last.fd === fd && ms - last.ms <= togetherMs;
    const left = partBytes - part.length - (grows ? 0 : entryHead);
    if (left <= 0) return 0;
    const taken = bytes.subarray(0, left);
    const entry = grows && last !== undefined ? last : { part, at: part.length, fd, ms, length: 0 };
    if (!grows) part.length += entryHead;
    part.buffer.set(taken, part.length);
    part.length += taken.length;
    entry.length += taken.length;
    writeHead(part.buffer, entry.at, entry.ms, fd, entry.length);
    last = entry;
    return taken.length;
  }

  return {
    add: (fd, bytes) => {
      const ms = Math.round(now() - begun);
      let part = parts.current();
      for (let left = bytes; left.length > 0; ) {
        left = left.subarray(part === undefined ? 0 : put(part, fd, ms, left));
        if (left.length > 0) part = parts.next();
      }
    },
    recording: () => {
      const { head, tail, dropped } = parts.read();
      return { begunAt, terminal, parts: [...head, ...gapBefore(tail, dropped), ...tail] };
    },
    release: parts.release,
  };
}

function gapBefore([next]: readonly Uint8Array[], dropped: number): Uint8Array[] {
  if (dropped === 0) return [];
  return [
    gapPart(next === undefined ? 0 : Buffer.from(next.buffer, next.byteOffset, 4).readUInt32LE(), dropped),
  ];
}
