import type { RecordableCommand } from '../../src/recordable-command.ts';

export interface PendingApproval {
  readonly id: string;
  readonly executionId: string;
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

/** A person's answer to a pending approval. */
export interface Answer {
  /** The hash of the plan that the person was shown. */
  readonly planHash: string;
  readonly verdict: 'approved' | 'denied';
  readonly reason: string;
  /** The surface of the answer. */
  readonly via: string;
  /** With an approval: for this long it holds for the same plan. */
  readonly grantMs?: number;
}

/** The result of a verdict. Only `resolved` changed anything. */
export type Resolution =
  | { readonly type: 'resolved'; readonly approval: PendingApproval }
  | {
      readonly type: 'unknown' | 'already-resolved' | 'plan-changed' | 'no-grant';
      readonly text: string;
    };

/** How a question ended, as the audit records it. */
export interface RecordedVerdict {
  readonly verdict: 'approved' | 'denied' | 'expired' | 'void';
  readonly by: string;
  readonly via: string;
  readonly reason: string;
  readonly grantMs?: number;
}
