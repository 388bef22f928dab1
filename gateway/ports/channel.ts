import type { Command, Identity } from '../../src/command.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Found } from '../../src/init-client/plan-operands.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Usage } from '../../src/usage.ts';
import type { Input, Output, Send } from '../../src/wire/execution-io.ts';

/** What opens an execution. `refusal` is a relay's own refusal, sent only to be recorded. */
export interface StartRequest {
  readonly executionId: string;
  /** Empty: an orchestrator without an agent. */
  readonly agent: string;
  readonly command: Command;
  readonly identity?: Identity;
  readonly refusal?: ClawrdenError;
  readonly hostLabels: Readonly<Record<string, string>>;
}

/** A caller that was cut off while a person was asked. */
export interface ResumeRequest {
  readonly executionId: string;
  readonly planHash: string;
}

export type ToCaller =
  | Output
  | {
      readonly type: 'pending';
      readonly approvalId: string;
      readonly planHash: string;
      readonly expires: Date;
    }
  | { readonly type: 'accepted'; readonly planHash: string }
  | { readonly type: 'run-here'; readonly planHash: string; readonly canonicalPlan: string }
  /** Look at what the plan would run, and run nothing. */
  | { readonly type: 'inspect-here'; readonly planHash: string; readonly canonicalPlan: string }
  | { readonly type: 'run-original'; readonly planHash: string }
  | { readonly type: 'started'; readonly host: string; readonly container: string }
  | { readonly type: 'notice'; readonly text: string };

/** A caller's stream ended without a word: it was cut off, perhaps, and may come back. */
export class Vanished extends ClawrdenError {
  override name = 'Vanished';

  constructor() {
    super('requester-gone', 'the caller went away');
  }
}

/** What a relay's init found of the files that a command would run, or why it could not look. */
export interface Inspected {
  readonly type: 'inspected';
  readonly found: Found | ClawrdenError;
}

/**
 * `inspected` comes only after `inspect-here`; the three behind it only after `run-here`: what the mirrored command did,
 * copied up.
 */
export type FromCaller =
  | Input
  | Inspected
  | { readonly type: 'mirror-started'; readonly container: string; readonly found: Found }
  | { readonly type: 'mirror-output'; readonly fd: 1 | 2; readonly bytes: Uint8Array }
  | { readonly type: 'mirror-end'; readonly outcome: Outcome; readonly usage: Usage | undefined };

/**
 * The caller's end of one execution. The outcome is not sent here: `execute` returns it and the adapter delivers it
 * as the last message.
 */
export interface Channel {
  /** Aborts when the caller cancels (`canceled`), says that nobody waits any more (`requester-gone`), or is `Vanished`. */
  readonly gone: AbortSignal;
  readonly send: Send<ToCaller>;
  /** Inputs from now on go to `handler`, one handler at a time; those that came earlier are delivered first. */
  readonly listen: (handler: (input: FromCaller) => void) => void;
}
