import type { Outcome } from '../../src/outcome.ts';
import type { StartRequest } from './channel.ts';
import type { Principal } from './principal.ts';

/** The beginning of a stream. */
export interface FirstOutput {
  readonly bytes: Buffer;
  readonly truncated: boolean;
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
}
