import type { Excerpt } from '../ports/recorded-output.ts';
import { createLastBytes } from './last-bytes.ts';

export interface ExcerptWriter {
  readonly add: (bytes: Uint8Array) => void;
  readonly excerpt: () => Excerpt;
}

/** Bytes that are kept of the beginning of a stream, and as many of its end. */
export const excerptBytes = 32 * 1024;

/** Copies at most two parts of the output, however long it is; a silent stream takes no memory. */
export function createExcerpt(): ExcerptWriter {
  let head: Uint8Array | undefined;
  let headLength = 0;
  const tail = createLastBytes(excerptBytes);

  return {
    add: (bytes) => {
      head ??= new Uint8Array(excerptBytes);
      const first = bytes.subarray(0, excerptBytes - headLength);
      head.set(first, headLength);
      headLength += first.length;
      tail.add(bytes.subarray(first.length));
    },
    excerpt: () => ({
      head: (head ?? new Uint8Array()).subarray(0, headLength),
      dropped: Math.max(0, tail.total() - excerptBytes),
      tail: tail.last(),
    }),
  };
}
