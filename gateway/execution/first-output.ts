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

export function createFirstOutput(most = firstOutputBytes, last = lastOutputBytes): FirstOutputWriter {
  const chunks: Buffer[] = [];
  const end = createLastBytes(last);
  let [length, total] = [0, 0];
  return {
    add: (bytes) => {
      const kept = bytes.subarray(0, most - length);
      end.add(bytes.subarray(kept.length));
      length += kept.length;
      total += bytes.length;
      // A copy: the bytes are a view of what was received.
      if (kept.length > 0) chunks.push(Buffer.from(kept));
    },
    first: () => {
      const bytes = Buffer.concat(chunks);
      if (total === length) return { bytes, truncated: false };
      const tail = end.last();
      return { bytes, truncated: true, tail: { from: total - tail.length, bytes: tail } };
    },
    length: () => length,
    behind: (place, size) => partOf(chunks, length, place, size),
  };
}

/** From the end: who reads along asks for what came last. */
function partOf(chunks: readonly Buffer[], length: number, place: number, most: number): Buffer {
  const parts: Buffer[] = [];
  for (let [at, end] = [chunks.length - 1, length]; at >= 0 && end > place; at -= 1) {
    const chunk = chunks[at] ?? Buffer.alloc(0);
    const from = end - chunk.length;
    if (from < place + most) parts.unshift(chunk.subarray(Math.max(0, place - from), place + most - from));
    end = from;
  }
  return Buffer.concat(parts);
}
