import type { FirstOutput } from '../ports/detached.ts';

/** Bytes of one stream that an answer holds. */
export const firstOutputBytes = 1024 * 1024;

/** The beginning of a stream, for an answer that comes when all is over. */
export interface FirstOutputWriter {
  readonly add: (bytes: Uint8Array) => void;
  readonly first: () => FirstOutput;
}

export function createFirstOutput(most = firstOutputBytes): FirstOutputWriter {
  const chunks: Buffer[] = [];
  let [length, truncated] = [0, false];
  return {
    add: (bytes) => {
      const kept = bytes.subarray(0, most - length);
      truncated ||= kept.length < bytes.length;
      length += kept.length;
      // A copy: the bytes are a view of what was received.
      if (kept.length > 0) chunks.push(Buffer.from(kept));
    },
    first: () => ({ bytes: Buffer.concat(chunks), truncated }),
  };
}
