import type { Outcome } from '../../src/outcome.ts';
import type { StartRequest } from './channel.ts';
import type { Principal } from './principal.ts';

/** The beginning of a stream. */
export interface FirstOutput {
  readonly bytes: Buffer;
  readonly truncated: boolean;
  /** Its end, if it is longer; undefined if that is not kept. */
  readonly tail?: OutputTail | undefined;
}

export interface OutputTail {
  /** The place of its first byte in the whole stream. */
  readonly from: number;
  readonly bytes: Buffer;
}

/** What became of an execution. */
export interface ExecutionResult {
  readonly outcome: Outcome;
  readonly planHash: string;
  readonly host: string;
  readonly container: string;
  readonly wasStarted: boolean;
  readonly stdout: FirstOutput;
  readonly stderr: FirstOutput;
}

export interface Question {
  readonly approvalId: string;
  readonly expires: Date;
}

/** One that has not ended, as far as it is known. */
export interface Underway {
  /** Undefined unless a person is asked. */
  readonly question: () => Question | undefined;
  readonly wasStarted: () => boolean;
  /** Bytes of a stream that are kept so far. */
  readonly kept: (stream: 'stdout' | 'stderr') => number;
  /** What is kept behind so many bytes, `most` at most. */
  readonly behind: (stream: 'stdout' | 'stderr', place: number, most: number) => Buffer;
  /** Calls `listener` when more is known, until `signal` aborts. */
  readonly watch: (listener: () => void, signal: AbortSignal) => void;
  readonly ended: Promise<ExecutionResult>;
}

/** Executions that no stream waits for: each ends by itself, by a cancel, or when its principal may call no longer. */
export interface Detached {
  /**
   * Resolves when it is known that it runs, or that a person is asked; with its end if it was refused. Throws
   * `id-duplicate` and `too-large`.
   */
  readonly start: (
    caller: Principal,
    request: StartRequest,
    input: Uint8Array | undefined,
  ) => Promise<ExecutionResult | 'begun'>;
  /** Of its caller; `pending` before the end, undefined if nothing is kept of it, or not any more. */
  readonly result: (caller: string, id: string) => Promise<ExecutionResult | 'pending' | undefined>;
  /** Of its caller, until it has ended. */
  readonly underway: (caller: string, id: string) => Underway | undefined;
}
