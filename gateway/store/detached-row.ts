/** An execution that no stream waits for: its input until it ends, and then its result, for its caller. */
export interface DetachedRow {
  caller: string;
  id: string;
  started_at: number;
  /** Null as long as it has not ended. */
  ended_at: number | null;
  /** Of its blobs together. */
  bytes: number;
  /** 1 if it came without any; then `input` is empty. */
  no_input: number;
  /** JSON; empty before the end. */
  outcome: string;
  plan_hash: string;
  host: string;
  container: string;
  was_started: number;
  stdout_truncated: number;
  stderr_truncated: number;
  input: Buffer;
  stdout: Buffer;
  stderr: Buffer;
  /** The ends of longer streams, and where they begin; 0 if there is none. */
  stdout_tail_from: number;
  stdout_tail: Buffer;
  stderr_tail_from: number;
  stderr_tail: Buffer;
}
