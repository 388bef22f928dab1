import type { FirstOutput } from '../ports/detached.ts';
import { createLastBytes } from './last-bytes.ts';

/** Bytes of one stream that an answer holds. */
export const firstOutputBytes = 1024 * 1024;
/** And of the end of a longer one. */
const lastOutputBytes = 64 * 1024;

/** The beginning and the end of a stream, for an answer that comes when all is over. */
export interface FirstOutputWriter {
  readonly add: (bytes: Uint8Array) => void;
  readonly first: () => FirstOutput;
  readonly length: () => number;
  /** What is kept behind so many bytes, `most` at most. */
  readonly behind: (place: number, most: number) => Buffer;
}

/** Of the smallest output; doubled when it is full. */
const firstRoom = 1024;

/**
 * One buffer that grows, however small the pieces are: a tool may write each byte by itself, and somebody may look at
 * each of them.
 */
export function createFirstOutput(most = firstOutputBytes, last = lastOutputBytes): FirstOutputWriter {
  const end = createLastBytes(last);
  let room = Buffer.alloc(0);
  let [length, total] = [0, 0];

  function put(kept: Uint8Array): void {
    const needed = length + kept.length;
    if (needed > room.length) {
      const larger = Buffer.alloc(Math.min(most, Math.max(needed, 2 * room.length, firstRoom)));
      larger.set(room.subarray(0, length));
      room = larger;
    }
    room.set(kept, length);
    length = needed;
  }

  return {
    add: (bytes) => {
      const kept = bytes.subarray(0, most - length);
      end.add(bytes.subarray(kept.length));
      total += bytes.length;
      put(kept);
    },
    first: () => {
      // A copy, without the room that was not used.
      const bytes = Buffer.from(room.subarray(0, length));
      if (total === length) return { bytes, truncated: false };
      const tail = end.last();
      return { bytes, truncated: true, tail: { from: total - tail.length, bytes: tail } };
    },
    length: () => length,
    // No copy: what was written once stays as it is.
    behind: (place, size) => room.subarray(place, Math.min(length, place + size)),
  };
}
