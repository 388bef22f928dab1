import type { Outcome } from '../../src/outcome.ts';

/** What a tool wrote last, both streams in the order in which the bytes came. */
export interface RecentOutput {
  /** How many bytes came so far. */
  readonly total: () => number;
  /** What came behind so many bytes. */
  readonly behind: (place: number) => OutputBehind;
  /** Calls `listener` when more has come, until `signal` aborts. */
  readonly watch: (listener: () => void, signal: AbortSignal) => void;
}

export interface OutputBehind {
  /** Bytes that are not kept any more. */
  readonly skipped: number;
  readonly parts: readonly OutputPart[];
}

export interface OutputPart {
  readonly fd: 1 | 2;
  readonly bytes: Uint8Array;
  /** How many bytes had come with its last one. */
  readonly place: number;
}

/** An execution whose output somebody reads along. */
export interface Followed {
  /** Whose it is; empty for an orchestrator without an agent. */
  readonly agent: string;
  readonly output: RecentOutput;
  readonly outcome: Promise<Outcome>;
}
