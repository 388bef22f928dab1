/** Whose output it is. */
export interface OutputOf {
  readonly caller: string;
  readonly id: string;
  readonly agent: string;
}

/** The first and the last bytes of each stream, and how many bytes between them were not kept. */
export interface OutputRow {
  caller: string;
  execution: string;
  /** Empty if an earlier version wrote it and the history has forgotten whose it was. */
  agent: string;
  saved_at: number;
  /** Of the four blobs together. */
  bytes: number;
  stdout_dropped: number;
  stderr_dropped: number;
  stdout_head: Buffer;
  stdout_tail: Buffer;
  stderr_head: Buffer;
  stderr_tail: Buffer;
}

/** One part of what a command wrote, with the times of its chunks. */
export interface RecordingPartRow {
  caller: string;
  execution: string;
  /** As of an output. */
  agent: string;
  /** From 0; the first is written last, so that what has no first part is not whole. */
  part: number;
  saved_at: number;
  bytes: number;
  begun_at: number;
  /** 0 by 0 if there was no terminal. */
  cols: number;
  rows: number;
  data: Buffer;
}
