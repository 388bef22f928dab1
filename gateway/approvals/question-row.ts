import { randomBytes } from 'node:crypto';
import { deedHash, type Plan } from '../../src/plan.ts';
import type { Consent } from '../../src/policy/policy.ts';
import { oneApprover } from '../../src/policy/rules/consent.ts';
import { recordable } from '../../src/recordable-command.ts';
import { questionPlanBytes } from '../execution/bounded-records.ts';
import type { PendingApproval } from '../ports/verdict.ts';
import type { ApprovalRow } from '../store/database.ts';
import { whyNoGrant } from './why-no-grant.ts';

export interface Question {
  readonly executionId: string;
  readonly caller: string;
  readonly agent: string;
  readonly planHash: string;
  readonly plan: string;
  readonly rule: string;
  readonly reason: string;
  /** If absent, one approver is enough. */
  readonly consent?: Consent;
  /** JSON that is returned with the question after a restart. */
  readonly context: string;
  readonly expiresInMs: number;
}

/** The gateway makes its id: 128 bits that the asker cannot influence. */
export function newRow({ expiresInMs, ...question }: Question): ApprovalRow {
  const now = Date.now();
  return {
    id: randomBytes(16).toString('hex'),
    execution_id: question.executionId,
    caller: question.caller,
    agent: question.agent,
    plan_hash: question.planHash,
    // This program wrote it.
    deed: deedHash(JSON.parse(question.plan) as Plan),
    plan: question.plan,
    rule: question.rule,
    reason: question.reason,
    consent: question.consent === undefined ? '' : JSON.stringify(question.consent),
    context: question.context,
    state: 'pending',
    verdict_by: '',
    verdict_via: '',
    verdict_reason: '',
    verdict_stamps: '',
    created_at: now,
    expires_at: now + expiresInMs,
    resolved_at: null,
    used_at: null,
  };
}

export function toPending(row: ApprovalRow): PendingApproval {
  // This program wrote it.
  const plan = JSON.parse(row.plan) as Plan;
  const consent = row.consent === '' ? oneApprover : (JSON.parse(row.consent) as Consent);
  return {
    id: row.id,
    executionId: row.execution_id,
    caller: row.caller,
    agent: row.agent,
    planHash: row.plan_hash,
    plan: row.plan,
    command: recordable(plan.argv, plan.cwd),
    noGrant: whyNoGrant(plan),
    rule: row.rule,
    reason: row.reason,
    said: saidIn(row),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...{ consent, missing: consent.approvals, yeses: [] },
  };
}

/** It came with what its caller needs when it comes back. */
function saidIn({ context }: ApprovalRow): string {
  const { said = '' } = JSON.parse(context) as { readonly said?: string };
  return said;
}

export function isTooLarge({ plan }: ApprovalRow): boolean {
  return Buffer.byteLength(plan) > questionPlanBytes;
}
