import type { TerminalSize } from '../../src/command.ts';

/** What a command wrote, and when: parts whose entries `gateway/execution/recording-entries.ts` reads. */
export interface Recording {
  /** Milliseconds since 1970; the times of its entries count from here. */
  readonly begunAt: number;
  /** Absent: what it wrote went to no terminal. */
  readonly terminal?: TerminalSize | undefined;
}

export interface WrittenRecording extends Recording {
  readonly parts: readonly Uint8Array[];
}

export interface KeptRecording extends Recording {
  /** One part after the other, so that no reader has all of it in memory. */
  readonly parts: () => AsyncIterable<Uint8Array>;
}
