import type { RecordableCommand } from '../../src/recordable-command.ts';

export interface PendingApproval {
  readonly id: string;
  readonly executionId: string;
  readonly agent: string;
  readonly planHash: string;
  /** Canonical JSON. */
  readonly plan: string;
  /** The plan's, for lists. */
  readonly command: RecordableCommand;
  /** Why it cannot be approved for a while; empty where it can. */
  readonly noGrant: string;
  readonly rule: string;
  readonly reason: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a person says to a pending approval. */
export interface Answer {
  /** Of the plan that the person was shown. */
  readonly planHash: string;
  readonly verdict: 'approved' | 'denied';
  readonly reason: string;
  /** Over which surface. */
  readonly via: string;
  /** With an approval: it holds for the same plan for so long. */
  readonly grantMs?: number;
}

/** What a verdict came to. Only `resolved` changed anything. */
export type Resolution =
  | { readonly type: 'resolved'; readonly approval: PendingApproval }
  | {
      readonly type: 'unknown' | 'already-resolved' | 'plan-changed' | 'no-grant';
      readonly text: string;
    };

/** How a question ended, as the audit has it. */
export interface RecordedVerdict {
  readonly verdict: 'approved' | 'denied' | 'expired' | 'void';
  readonly by: string;
  readonly via: string;
  readonly reason: string;
  readonly grantMs?: number;
}
