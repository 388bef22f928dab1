import { ClawrdenError } from '../src/errors.ts';
import type { Decision } from '../src/policy/policy.ts';
import type { Approvals, Verdict } from './approvals/approvals.ts';
import type { Execution } from './execution.ts';
import type { SealedPlan } from './plan.ts';

const maker = Symbol('authorize');

/** Proof that this plan may run. Only `authorize` can make one, and an executor takes nothing else. */
export class Permit {
  readonly sealed: SealedPlan;
  /** The person who approved it; empty where the policy alone allowed it. */
  readonly approver: string;

  constructor(key: symbol, sealed: SealedPlan, approver: string) {
    if (key !== maker) throw new TypeError('only authorize() makes a Permit');
    this.sealed = sealed;
    this.approver = approver;
    Object.freeze(this);
  }
}

export interface AuthorizeParts {
  readonly approvals: Approvals;
  readonly approvalExpiresMs: number;
  /** Called with every verdict, and with `expired` or `void`, before anything follows from it. */
  readonly recordVerdict: (approvalId: string, verdict: RecordedVerdict) => Promise<void>;
}

export interface RecordedVerdict {
  readonly verdict: 'approved' | 'denied' | 'expired' | 'void';
  readonly by: string;
  readonly reason: string;
}

/** Turns a decision on a plan into a permit, asking a person where the policy says so. Throws the refusal. */
export async function authorize(
  decision: Decision,
  sealed: SealedPlan | ClawrdenError,
  execution: Execution,
  parts: AuthorizeParts,
): Promise<Permit> {
  if (decision.action === 'deny') throw new ClawrdenError(decision.code ?? 'denied-by-rule', decision.reason);
  if (sealed instanceof ClawrdenError) throw sealed;
  if (decision.action === 'allow') return new Permit(maker, sealed, '');
  const verdict = await askPerson(decision, sealed, execution, parts);
  if (verdict.verdict === 'denied') {
    const because = verdict.reason === '' ? '' : `: ${verdict.reason}`;
    throw new ClawrdenError('denied-by-person', `${verdict.by} refused it${because}`);
  }
  return new Permit(maker, sealed, verdict.by);
}

async function askPerson(
  decision: Decision,
  sealed: SealedPlan,
  execution: Execution,
  { approvals, approvalExpiresMs, recordVerdict }: AuthorizeParts,
): Promise<Verdict> {
  const { approval, verdict } = approvals.ask({
    executionId: execution.record.id,
    agent: sealed.plan.agent,
    planHash: sealed.hash,
    plan: sealed.canonical,
    rule: decision.rule,
    reason: decision.reason,
    expiresInMs: approvalExpiresMs,
  });
  execution.advance({ state: 'awaiting-approval', approvalId: approval.id });
  void execution.send({
    type: 'pending',
    approvalId: approval.id,
    planHash: sealed.hash,
    expires: new Date(approval.expiresAt),
  });
  try {
    const answer = await verdict(execution.signal);
    await recordVerdict(approval.id, answer);
    execution.advance({ approver: answer.by });
    return answer;
  } catch (error) {
    if (error instanceof ClawrdenError && error.code !== 'audit-unwritable') {
      const unanswered = error.code === 'approval-expired' ? 'expired' : 'void';
      await recordVerdict(approval.id, { verdict: unanswered, by: '', reason: error.message });
    }
    throw error;
  }
}
