import type { RecordableCommand } from '../../src/recordable-command.ts';

export interface PendingApproval {
  readonly id: string;
  readonly executionId: string;
  /** The principal that asked: its own yes does not count. */
  readonly caller: string;
  readonly agent: string;
  readonly planHash: string;
  /** Canonical JSON. */
  readonly plan: string;
  /** The command of the plan, for lists. */
  readonly command: RecordableCommand;
  /** Why it cannot be approved for a while; empty if it can. */
  readonly noGrant: string;
  readonly rule: string;
  readonly reason: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A person's answer to one question. */
export interface Verdict {
  readonly verdict: 'approved' | 'denied';
  readonly by: string;
  /** The surface of the verdict: cli, api … */
  readonly via: string;
  readonly reason: string;
  /** With an approval: for this long, the same plan of the same agent needs no other approval. */
  readonly grantMs?: number;
}

/** A verdict, with the plan that it is about. */
export interface ShownVerdict extends Verdict {
  /** The hash of the plan that the person was shown. */
  readonly planHash: string;
}

/** The result of a verdict. Only `resolved` changed anything. */
export type Resolution =
  | { readonly type: 'resolved'; readonly approval: PendingApproval }
  | {
      readonly type: 'unknown' | 'already-resolved' | 'plan-changed' | 'no-grant' | 'own-request';
      readonly text: string;
    };

/** How a question ended, as the audit and the database have it: by a verdict, or without one. */
export interface RecordedVerdict extends Omit<Verdict, 'verdict'> {
  readonly verdict: Verdict['verdict'] | 'expired' | 'void';
}
