import type { Command, Identity } from '../../src/command.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Found } from '../../src/init-client/plan-operands.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Usage } from '../../src/usage.ts';
import type { Input, Output, Send } from '../../src/wire/execution-io.ts';

/** Opens an execution. `refusal` is a refusal that the relay made; it is only to be recorded. */
export interface StartRequest {
  readonly executionId: string;
  /** Empty for an orchestrator without an agent. */
  readonly agent: string;
  readonly command: Command;
  readonly identity?: Identity;
  readonly refusal?: ClawrdenError;
  readonly hostLabels: Readonly<Record<string, string>>;
  /** As its caller sent it (W3C Trace Context). */
  readonly traceparent?: string;
}

/** A caller comes back after its connection was cut while a person was asked. */
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
  /** Inspect what the plan would run, and run nothing. */
  | { readonly type: 'inspect-here'; readonly planHash: string; readonly canonicalPlan: string }
  | { readonly type: 'run-original'; readonly planHash: string }
  | { readonly type: 'started'; readonly host: string; readonly container: string }
  | { readonly type: 'notice'; readonly text: string };

/** A caller's stream ended without a reason: the connection may have been cut, and the caller may come back. */
export class Vanished extends ClawrdenError {
  override name = 'Vanished';

  constructor() {
    super('requester-gone', 'the caller went away');
  }
}

/** What a relay's init found for the files that a command would run, or why it could not inspect them. */
export interface Inspected {
  readonly type: 'inspected';
  readonly found: Found | ClawrdenError;
}

/**
 * `inspected` comes only after `inspect-here`; the three after it come only after `run-here`: they copy what the
 * mirrored command did.
 */
export type FromCaller =
  | Input
  | Inspected
  | { readonly type: 'mirror-started'; readonly container: string; readonly found: Found }
  | { readonly type: 'mirror-output'; readonly fd: 1 | 2; readonly bytes: Uint8Array }
  | { readonly type: 'mirror-end'; readonly outcome: Outcome; readonly usage: Usage | undefined };

/**
 * The caller's end of one execution. It does not send the outcome: `execute` returns it, and the adapter sends it as
 * the last message.
 */
export interface Channel {
  /**
   * Aborts when the caller cancels (`canceled`), reports that its requester is gone (`requester-gone`), or has
   * `Vanished`.
   */
  readonly gone: AbortSignal;
  readonly send: Send<ToCaller>;
  /** What it is sent is kept on the disk: secrets are masked in it, whatever the plan says. */
  readonly keeps?: boolean;
  /** From now on inputs go to `handler`, after the earlier ones. There is one handler at a time. */
  readonly listen: (handler: (input: FromCaller) => void) => void;
}
