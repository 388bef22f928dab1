/**
 * What one of the caller's descriptors 0 to 2 was; the tool's descriptor is made the same. `=1`: the same open file
 * as stdout.
 */
export type StdioKind = 'tty' | 'pipe' | 'file' | 'null' | 'closed' | '=1';

export type Stdio = readonly [StdioKind, StdioKind, StdioKind];

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** What a shim captured or an orchestrator asks for. A claim: the gateway trusts nothing in it. */
export interface Command {
  readonly tool: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** `NAME=value`, as captured, before scrubbing. */
  readonly env: readonly string[];
  readonly umask: number;
  readonly stdio: Stdio;
  /** Signal numbers the caller ignores. */
  readonly ignored: readonly number[];
  /** Signal numbers the caller blocks; absent: none. */
  readonly blocked?: readonly number[];
  readonly terminal?: TerminalSize;
  /** Version of the shim's protocol, 0 or 1. */
  readonly version: number;
}

/** Ids that the kernel attests. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Numbers of signals, and no more of them than there are. */
export function areSignals(numbers: readonly number[]): boolean {
  return (
    numbers.length <= 64 && numbers.every((signal) => Number.isInteger(signal) && signal >= 1 && signal <= 64)
  );
}

export const noStdin: Stdio = ['null', 'pipe', 'pipe'];
