import { ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import { deedHash, type Plan } from '../../src/plan.ts';
import type { Decision } from '../../src/policy/policy.ts';
import { consentText, doorsOf, oneApprover } from '../../src/policy/rules/consent.ts';
import { denialText } from '../../src/policy/rules/denial-text.ts';
import { questionPlanBytes } from '../execution/bounded-records.ts';
import type { Execution } from '../execution/execution.ts';
import { denialOf, type Judged } from '../judging/judged.ts';
import type { SealedPlan } from '../judging/seal-plan.ts';
import type { Approvers } from '../ports/approvers.ts';
import type { Grant } from '../ports/grant.ts';
import { doorsOfVia, type RecordedVerdict, type Verdict } from '../ports/verdict.ts';
import type { Approvals } from './approvals.ts';
import { joinNames, namesIn } from './approver-names.ts';
import type { Asked } from './asked.ts';
import type { Grants } from './grants.ts';
import { suffices } from './who-counts.ts';
import { whyNoGrant } from './why-no-grant.ts';

const maker = Symbol('authorize');

/** Proof that this plan may run. Only this file can make one, and an executor accepts nothing else. */
export class Permit {
  readonly sealed: SealedPlan;
  /** The person who approved it; empty if the policy allowed it. */
  readonly approver: string;
  /** Why it counts no more, for example because its approver may approve nothing now; `undefined` if it does. */
  readonly lapsed: () => ClawrdenError | undefined;

  constructor(key: symbol, sealed: SealedPlan, approver: string, lapsed: Permit['lapsed']) {
    if (key !== maker) throw new TypeError('only authorize() makes a Permit');
    this.sealed = sealed;
    this.approver = approver;
    this.lapsed = lapsed;
    Object.freeze(this);
  }
}

const always = () => undefined;

export interface AuthorizeParts {
  readonly approvals: Approvals;
  readonly approvalExpiresMs: () => number;
  readonly grants: Pick<Grants, 'of'>;
  readonly approvers: Approvers;
  /** What the policy says about a plan now: if the policy now denies it, a person's yes does not count. */
  readonly decideAgain: (plan: Plan) => Decision;
  /** Called with every verdict, and with `expired` or `void`, before the verdict has any effect. */
  readonly recordVerdict: (
    execution: Execution,
    approvalId: string,
    verdict: RecordedVerdict,
  ) => Promise<void>;
}

/** Turns what was judged into a permit. Asks a person if the policy says so. Throws the refusal. */
export async function authorize(
  judged: Judged,
  execution: Execution,
  parts: AuthorizeParts,
): Promise<Permit> {
  const { decision, sealed, refusal } = judged;
  if (refusal !== undefined || decision.action === 'deny') throw refusal ?? denialOf(decision);
  if (decision.action === 'allow') return new Permit(maker, sealed, '', always);
  checkSize(sealed);
  const covering = await coveringGrant(decision, sealed, execution.record.caller, parts);
  if (covering !== undefined) {
    const { grant, lapsed } = covering;
    const by = joinNames(grant.by);
    execution.coveredBy(grant.id, by);
    return new Permit(maker, sealed, by, lapsed);
  }
  return awaitVerdict(await ask(decision, sealed, execution, parts), sealed, execution, parts);
}

/** The part of `authorize` after the question; after a restart the gateway continues here. */
export async function awaitVerdict(
  asked: Asked,
  sealed: SealedPlan,
  execution: Execution,
  parts: AuthorizeParts,
): Promise<Permit> {
  const { approval } = asked;
  execution.asks(approval.id);
  void execution.send({
    type: 'pending',
    approvalId: approval.id,
    planHash: sealed.hash,
    expires: new Date(approval.expiresAt),
  });
  const answer = await recordedVerdict(asked, execution, parts);
  if (answer.verdict === 'denied') throw deniedBy(answer);
  await parts.approvers.freshen?.(namesIn(answer.by));
  // Between it and `queued` nothing is waited for: a gateway that ends meanwhile would not know that it goes on.
  await execution.untilAttached();
  // Rules are about where it was typed; without the workspace its plan starts elsewhere.
  const now = parts.decideAgain({ ...sealed.plan, cwd: execution.record.cwd });
  if (now.action === 'deny')
    throw new ClawrdenError('policy-changed', `the policy denies it now: ${denialText(now)}`);
  const lapsed = () => whyNoConsent(now, answer, execution.record, parts);
  const refusal = lapsed();
  if (refusal !== undefined) throw refusal;
  // A gateway that ends leaves what waits for a person to the next one, and this one's start is used from here on.
  execution.queued();
  await asked.use();
  return new Permit(maker, sealed, answer.by, lapsed);
}

function checkSize({ canonical }: SealedPlan): void {
  const bytes = Buffer.byteLength(canonical);
  if (bytes <= questionPlanBytes) return;
  const text = `its plan has ${bytes} bytes, and a person is asked about ${questionPlanBytes} at most`;
  throw new ClawrdenError('plan-too-large', text);
}

interface Covering extends Pick<Permit, 'lapsed'> {
  readonly grant: Grant;
}

/** Checks the plan again: a grant may be older than the rule against it. Its givers must be enough for who asks now. */
async function coveringGrant(
  { consent = oneApprover }: Decision,
  { plan: { agent }, plan, hash }: SealedPlan,
  caller: string,
  { grants, approvers }: AuthorizeParts,
): Promise<Covering | undefined> {
  const held = () => grants.of(agent, hash, deedHash(plan));
  if (whyNoGrant(plan) !== '' || held().length === 0) return undefined;
  await approvers.freshen?.(held().flatMap(({ by }) => by));
  const said = (by: readonly string[]) => by.map((name) => ({ by: name }));
  const counts = ({ by }: Grant) => suffices(said(by), { consent, caller, agent }, approvers);
  const grant = held().find(counts);
  if (grant === undefined) return undefined;
  const text = `the yes of ${joinNames(grant.by)} for a while does not count any more`;
  // What it covered in its time may wait beyond it.
  const isThere = () => held().some(({ id }) => id === grant.id) || grant.until <= Date.now();
  const lapsed = () => (isThere() && counts(grant) ? undefined : new ClawrdenError('policy-changed', text));
  return { grant, lapsed };
}

/**
 * Since the question the policy may have changed, and need others, more of them, or another door. Since the yes its
 * givers may have lost the right to give it.
 */
function whyNoConsent(
  { action, consent = oneApprover }: Decision,
  { by, via, givers }: Verdict,
  { agent, caller }: Execution['record'],
  { approvers }: AuthorizeParts,
): ClawrdenError | undefined {
  if (action === 'allow') return undefined;
  const said = givers ?? namesIn(by).map((name) => ({ by: name }));
  const isDoor = doorsOfVia(via).every((door) => doorsOf(consent).includes(door));
  if (isDoor && suffices(said, { consent, caller, agent }, approvers)) return undefined;
  const text = `the policy needs ${consentText(consent)} now, and the yes of ${by} by ${via} does not count for that`;
  return new ClawrdenError('policy-changed', text);
}

function ask(
  decision: Decision,
  sealed: SealedPlan,
  { record, context }: Execution,
  { approvals, approvalExpiresMs }: AuthorizeParts,
): Promise<Asked> {
  return approvals.ask({
    executionId: record.id,
    caller: record.caller,
    agent: sealed.plan.agent,
    planHash: sealed.hash,
    plan: sealed.canonical,
    rule: decision.rule,
    reason: decision.reason,
    ...(decision.consent && { consent: decision.consent }),
    context: JSON.stringify(context),
    expiresInMs: approvalExpiresMs(),
  });
}

async function recordedVerdict(
  { approval, verdict, verdictRecorded = false, recorded }: Asked,
  execution: Execution,
  { recordVerdict }: AuthorizeParts,
): Promise<Verdict> {
  try {
    const answer = await verdict(execution.signal);
    if (!verdictRecorded) await recordVerdict(execution, approval.id, answer);
    recorded();
    execution.answered(answer.by);
    return answer;
  } catch (error) {
    recorded(toClawrdenError(error));
    if (error instanceof ClawrdenError && error.code !== 'audit-unwritable') {
      const unanswered = error.code === 'approval-expired' ? 'expired' : 'void';
      const nobody = { by: '', via: '', reason: error.message };
      await recordVerdict(execution, approval.id, { verdict: unanswered, ...nobody });
    }
    throw error;
  }
}

function deniedBy({ by, reason }: Verdict): ClawrdenError {
  return new ClawrdenError('denied-by-person', `${by} refused it${reason === '' ? '' : `: ${reason}`}`);
}
