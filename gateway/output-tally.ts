import { createHash } from 'node:crypto';

export interface OutputTotals {
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** SHA-256, in hex. */
  readonly stdoutDigest: string;
  readonly stderrDigest: string;
}

/** What a tool wrote, as it went by: nothing of it is kept. */
export interface OutputTally {
  readonly add: (fd: 1 | 2, bytes: Uint8Array) => void;
  /** Once, at the end. */
  readonly totals: () => OutputTotals;
}

export function createOutputTally(): OutputTally {
  const hashes = { 1: createHash('sha256'), 2: createHash('sha256') };
  const counts = { 1: 0, 2: 0 };
  return {
    add: (fd, bytes) => {
      counts[fd] += bytes.length;
      hashes[fd].update(bytes);
    },
    totals: () => ({
      stdoutBytes: counts[1],
      stderrBytes: counts[2],
      stdoutDigest: hashes[1].digest('hex'),
      stderrDigest: hashes[2].digest('hex'),
    }),
  };
}
