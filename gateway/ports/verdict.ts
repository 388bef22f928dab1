import type { Consent, Door } from '../../src/policy/policy.ts';
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
  /** What the agent says that it is for: its word, outside of the plan. */
  readonly said: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** How many people must say yes, and who counts. */
  readonly consent: Consent;
  /** How many more must say yes, as things are now. */
  readonly missing: number;
  /** Who has said yes, each principal once. */
  readonly yeses: readonly ShownYes[];
}

/** How a question about the same plan ended. */
export interface EarlierAnswer {
  readonly verdict: Verdict['verdict'];
  readonly by: string;
  readonly reason: string;
  readonly askedAt: number;
}

/** A yes that was not enough by itself. */
export interface Yes {
  readonly by: string;
  readonly via: string;
  readonly reason: string;
  readonly at: number;
  readonly grantMs?: number;
  /** Of the right that it was given by. */
  readonly stamp: string;
}

export interface ShownYes extends Yes {
  /** False if its giver may not give it now, or could not all the time since. */
  readonly counts: boolean;
}

/** A person's answer to one question. */
export interface Verdict {
  readonly verdict: 'approved' | 'denied';
  /** The principal, or all whose yes counts (`approver-names.ts`). */
  readonly by: string;
  /** The surface of the verdict: cli, api … */
  readonly via: string;
  readonly reason: string;
  /** With an approval: whose yes it is; absent if an earlier version took it. */
  readonly givers?: readonly Pick<Yes, 'by' | 'stamp'>[];
  /** With an approval: for this long, the same plan of the same agent needs no other approval. */
  readonly grantMs?: number;
  /** Who asked for that. */
  readonly grantBy?: readonly Pick<Yes, 'by' | 'stamp'>[];
}

/** A verdict, with the plan that it is about. */
export interface ShownVerdict extends Verdict {
  /** The hash of the plan that the person was shown. */
  readonly planHash: string;
}

/** The result of a verdict. `noted`: a yes that counts, and more are needed. The others changed nothing. */
export type Resolution =
  | { readonly type: 'resolved' | 'noted'; readonly approval: PendingApproval }
  | {
      readonly type:
        | 'unknown'
        | 'already-resolved'
        | 'plan-changed'
        | 'verdict-door'
        | 'no-grant'
        | 'own-request'
        | 'not-approver';
      readonly text: string;
    };

/** How a question ended, as the audit and the database have it: by a verdict, or without one. */
export interface RecordedVerdict extends Omit<Verdict, 'verdict'> {
  readonly verdict: Verdict['verdict'] | 'expired' | 'void';
}

const doorOf: ReadonlyMap<string, Door> = new Map([
  ['http', 'dashboard'],
  ['telegram', 'chat'],
  ['slack', 'chat'],
]);

/** The surfaces of all who said yes, each once. */
export function joinVias(vias: readonly string[]): string {
  return [...new Set(vias)].join(',');
}

/** The doors of a verdict's surfaces. What is no other door's name is what a client over gRPC calls itself. */
export function doorsOfVia(via: string): Door[] {
  return via.split(',').map((each) => doorOf.get(each) ?? 'cli');
}
