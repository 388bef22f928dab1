import type { ClawrdenError, ErrorCode } from './errors.ts';
import { exitCodes } from './exit-codes.ts';

/** How an execution ended. `signal` 0 means the tool exited with `code`. */
export type Outcome =
  | { readonly kind: 'exited'; readonly code: number; readonly signal: number }
  | { readonly kind: 'started' }
  | {
      readonly kind: 'denied' | 'canceled' | 'timed-out' | 'failed';
      readonly reason: ErrorCode;
      readonly text: string;
    }
  /** The caller was interrupted before its tool started; the execution ends as if that signal had killed the tool. */
  | { readonly kind: 'interrupted'; readonly signal: number };

/** The outcome of a failure; the code alone decides its kind. */
export function outcomeOf(error: ClawrdenError): Outcome {
  return failure(error.code, error.message);
}

export function failure(reason: ErrorCode, text: string): Outcome {
  return { kind: kindOf(reason), reason, text };
}

function kindOf(reason: ErrorCode): 'denied' | 'canceled' | 'timed-out' | 'failed' {
  const exit = exitCodes[reason];
  if (exit === 1) return 'denied';
  if (exit === 124) return 'timed-out';
  return reason === 'canceled' || reason === 'requester-gone' ? 'canceled' : 'failed';
}

/** It did not run to an end of its own, or was not let. */
export function hasFailed({ kind }: Outcome): boolean {
  return kind === 'failed' || kind === 'timed-out';
}

/** How the caller exits: with a code or, if `signal` is not 0, by that signal. */
export function exitOf(outcome: Outcome): { code: number; signal: number } {
  switch (outcome.kind) {
    case 'exited':
      return { code: outcome.code, signal: outcome.signal };
    case 'interrupted':
      return { code: 0, signal: outcome.signal };
    case 'started':
      return { code: 0, signal: 0 };
    default:
      return { code: exitCodes[outcome.reason], signal: 0 };
  }
}
