import { createHash } from 'node:crypto';
import type { TerminalSize } from '../../src/command.ts';
import type { RecentOutput } from '../ports/followed-output.ts';
import type { RecordedOutput } from '../ports/recorded-output.ts';
import { createExcerpt, type ExcerptWriter } from './output-excerpt.ts';
import { createRecentOutput } from './recent-output.ts';
import { createTimedRecorder, type TimedRecorder } from './record-timed.ts';
import type { OpenPlace } from './recording-room.ts';

export interface OutputTotals {
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** SHA-256, in hex. */
  readonly stdoutDigest: string;
  readonly stderrDigest: string;
}

/** Digest and size of what a tool wrote. Keeps no output unless `record` was called before. */
export interface OutputTally {
  readonly add: (fd: 1 | 2, bytes: Uint8Array) => void;
  /** Its end, for a reader that comes along. */
  readonly recent: RecentOutput;
  /** Once, at the end. */
  readonly totals: () => OutputTotals;
  readonly record: () => void;
  /** Keeps the time of each chunk besides. */
  readonly recordTimed: (openPlace: OpenPlace, terminal: TerminalSize | undefined) => void;
  /** `undefined` if it was not to be recorded. */
  readonly recorded: () => RecordedOutput | undefined;
  readonly timed: () => TimedRecorder | undefined;
}

export function createOutputTally(): OutputTally {
  const hashes = { 1: createHash('sha256'), 2: createHash('sha256') };
  const counts = { 1: 0, 2: 0 };
  const recent = createRecentOutput();
  let excerpts: Readonly<Record<1 | 2, ExcerptWriter>> | undefined;
  let timed: TimedRecorder | undefined;
  return {
    add: (fd, bytes) => {
      counts[fd] += bytes.length;
      hashes[fd].update(bytes);
      excerpts?.[fd].add(bytes);
      timed?.add(fd, bytes);
      recent.add(fd, bytes);
    },
    recent,
    totals: () => ({
      stdoutBytes: counts[1],
      stderrBytes: counts[2],
      stdoutDigest: hashes[1].digest('hex'),
      stderrDigest: hashes[2].digest('hex'),
    }),
    record: () => {
      excerpts = { 1: createExcerpt(), 2: createExcerpt() };
    },
    recordTimed: (openPlace, terminal) => {
      timed ??= createTimedRecorder(openPlace, terminal);
    },
    timed: () => timed,
    recorded: () => excerpts && { stdout: excerpts[1].excerpt(), stderr: excerpts[2].excerpt() },
  };
}
