import type { Excerpt } from '../ports/recorded-output.ts';

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
  let ring: Uint8Array | undefined;
  /** Bytes after the head, kept or not. */
  let passed = 0;

  function addToTail(bytes: Uint8Array): void {
    ring ??= new Uint8Array(excerptBytes);
    const kept = bytes.subarray(-excerptBytes);
    passed += bytes.length;
    const at = (passed - kept.length) % excerptBytes;
    const untilWrap = kept.subarray(0, excerptBytes - at);
    ring.set(untilWrap, at);
    ring.set(kept.subarray(untilWrap.length), 0);
  }

  return {
    add: (bytes) => {
      head ??= new Uint8Array(excerptBytes);
      const first = bytes.subarray(0, excerptBytes - headLength);
      head.set(first, headLength);
      headLength += first.length;
      if (bytes.length > first.length) addToTail(bytes.subarray(first.length));
    },
    excerpt: () => ({
      head: (head ?? new Uint8Array()).subarray(0, headLength),
      dropped: Math.max(0, passed - excerptBytes),
      tail: unrolled(ring ?? new Uint8Array(), passed),
    }),
  };
}

/** Oldest byte first. */
function unrolled(ring: Uint8Array, passed: number): Uint8Array {
  if (passed <= ring.length) return ring.subarray(0, passed);
  const at = passed % ring.length;
  return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
}
