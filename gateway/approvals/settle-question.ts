import { abortable } from '../../src/abort.ts';
import { ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import { createInTurn } from '../../src/in-turn.ts';
import { deedHash, type Plan } from '../../src/plan.ts';
import { consentText, doorsOf } from '../../src/policy/rules/consent.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { recordedFirst } from '../control/lasting-change.ts';
import type { Approvers } from '../ports/approvers.ts';
import {
  doorsOfVia,
  joinVias,
  type PendingApproval,
  type Resolution,
  type ShownVerdict,
  type Verdict,
  type Yes,
} from '../ports/verdict.ts';
import type { ApprovalStore } from './approval-store.ts';
import { joinNames } from './approver-names.ts';
import type { Grants } from './grants.ts';
import { type NotCounted, whoCounts, whyNotCounted } from './who-counts.ts';

/** A disk may be slow: it is answered then all the same, as its command goes by. */
const recordedWithinMs = 2000;

export interface SettleParts {
  readonly store: ApprovalStore;
  readonly grants: Pick<Grants, 'give' | 'whyFull'>;
  readonly approvers: Approvers;
  /** In the audit. */
  readonly record: (entry: AuditRecord) => Promise<unknown>;
}

/** A question that waits, and who has said yes. */
export interface Open {
  readonly approval: PendingApproval;
  readonly answer: PromiseWithResolvers<Verdict>;
  /** The answer is in the audit; or why it is not. */
  readonly recorded: PromiseWithResolvers<void>;
  /** Verdicts of one question, one after another: none counts without the one before. */
  readonly inTurn: ReturnType<typeof createInTurn>;
  yeses: readonly Yes[];
  /** Why nobody waits for it any more; undefined as long as somebody does. */
  over: string | undefined;
  /** Its command waits for the answer, and records it. */
  isAwaited: boolean;
}

export function openQuestion(approval: PendingApproval, yeses: readonly Yes[]): Open {
  const recorded = Promise.withResolvers<void>();
  // Perhaps nobody answers.
  recorded.promise.catch(() => {});
  return {
    approval,
    answer: Promise.withResolvers<Verdict>(),
    recorded,
    inTurn: createInTurn(),
    yeses,
    over: undefined,
    isAwaited: false,
  };
}

/** As people see it now. */
export function shownQuestion({ approval, yeses }: Open, approvers: Approvers): PendingApproval {
  if (yeses.length === 0) return approval;
  const counting = whoCounts(yeses, approval, approvers);
  const counted = new Set([...counting.values()].flat());
  const missing = Math.max(0, approval.consent.approvals - counting.size);
  return { ...approval, missing, yeses: yeses.map((yes) => ({ ...yes, counts: counted.has(yes) })) };
}

/** `ended` is called once no other verdict can count. */
export function settle(
  open: Open,
  { planHash, ...verdict }: ShownVerdict,
  parts: SettleParts,
  ended: () => void,
): Promise<Resolution> {
  // From here on it waits for others and for the provider: who is revoked meanwhile has said nothing.
  const { stamp = '' } = parts.approvers.rightOf(verdict.by, open.approval.agent) ?? {};
  const said = { ...verdict, stamp };
  return open.inTurn(async () => {
    // Who said yes before may have left the group since.
    if (verdict.verdict === 'approved')
      await parts.approvers.freshen?.([verdict.by, ...open.yeses.map(({ by }) => by)]);
    if (open.over !== undefined) return alreadyOver(open.approval.id, open.over);
    const refusal = refusalOf(open.approval, planHash, said, parts);
    if (refusal !== undefined) return refusal;
    if (verdict.verdict === 'denied') return end(open, verdict, parts, ended);
    const yeses = withYes(open, said);
    const counting = whoCounts(yeses, open.approval, parts.approvers);
    if (counting.size < open.approval.consent.approvals)
      return note(open, { yeses, given: counting.size }, parts);
    return end(open, verdictOf([...counting.values()], open.approval, verdict), parts, ended);
  });
}

/** With the stamp of the right that its giver had when it came. */
interface Stamped extends Verdict {
  readonly stamp: string;
}

/** The last word of each principal. */
function withYes({ yeses }: Open, { by, via, reason, grantMs, stamp }: Stamped): Yes[] {
  const yes = { by, via, reason, at: Date.now(), stamp, ...(grantMs !== undefined && { grantMs }) };
  return [...yeses.filter((each) => each.by !== by), yes];
}

/** A yes that is not enough by itself: in the audit and on the disk before it counts. */
async function note(
  open: Open,
  { yeses, given }: { readonly yeses: readonly Yes[]; readonly given: number },
  { store, approvers, record }: SettleParts,
): Promise<Resolution> {
  const { id, executionId: execution, caller, agent, planHash, consent } = open.approval;
  const yes = yeses.at(-1);
  if (yes === undefined) throw new Error('there is no yes');
  const { by, via, reason, grantMs } = yes;
  const said = { by, via, reason, ...(grantMs !== undefined && { grantMs }) };
  const of = { execution, caller, agent, approval: id, planHash };
  await recordedFirst(record({ type: 'yes', ...of, ...said, given, needed: consent.approvals }));
  if (open.over !== undefined) return alreadyOver(open.approval.id, open.over);
  if (!(await store.addYes({ id, planHash }, yes))) return alreadyResolved(id);
  open.yeses = yeses;
  return { type: 'noted', approval: shownQuestion(open, approvers) };
}

/** Its command records it, and has ended if it could not: then who answered must hear that nothing has come of it. */
async function untilRecorded({ recorded, isAwaited, approval: { id } }: Open): Promise<void> {
  if (!isAwaited) return;
  const late = AbortSignal.timeout(recordedWithinMs);
  await abortable(recorded.promise, late).catch((error: unknown) => {
    if (late.aborted) return;
    const why = toClawrdenError(error).message;
    const text = `approval ${id}: the answer could not be recorded, and the command has ended without it: ${why}`;
    throw new ClawrdenError('audit-unwritable', text);
  });
}

async function end(
  open: Open,
  verdict: Verdict,
  { store, grants }: SettleParts,
  ended: () => void,
): Promise<Resolution> {
  const { approval, answer } = open;
  const { id, planHash } = approval;
  if (!(await store.end({ id, planHash }, verdict))) return alreadyResolved(id);
  ended();
  // First: if it cannot be granted for a while, the yes counts once all the same.
  answer.resolve(verdict);
  await untilRecorded(open);
  await giveGrant(approval, verdict, grants);
  return { type: 'resolved', approval: { ...approval, missing: 0 } };
}

/** Everybody whose yes counts; a grant only if as many ask for it, and for the shortest time. */
function verdictOf(
  people: readonly (readonly Yes[])[],
  { consent }: PendingApproval,
  { grantMs: _once, ...said }: Verdict,
): Verdict {
  const asking = people.filter((yeses) => yeses.every(({ grantMs }) => grantMs !== undefined));
  const givers = giversOf(people);
  const by = joinNames(givers.map((each) => each.by));
  const via = joinVias(people.flatMap((yeses) => yeses.map((yes) => yes.via)));
  const last = { ...said, via, givers };
  if (asking.length < consent.approvals) return { ...last, by };
  const grantMs = Math.min(...asking.flat().flatMap((yes) => yes.grantMs ?? []));
  return { ...last, by, grantMs, grantBy: giversOf(asking) };
}

/** One name for each person. */
function giversOf(people: readonly (readonly Yes[])[]): Pick<Yes, 'by' | 'stamp'>[] {
  return people.flatMap(([first]) => (first === undefined ? [] : [{ by: first.by, stamp: first.stamp }]));
}

async function giveGrant(
  { agent, planHash, plan, command, rule, executionId: execution }: PendingApproval,
  { verdict, grantMs, grantBy = [] }: Verdict,
  grants: Pick<Grants, 'give'>,
): Promise<void> {
  if (verdict !== 'approved' || grantMs === undefined) return;
  const givers = { by: grantBy.map(({ by }) => by), stamps: grantBy.map(({ stamp }) => stamp) };
  try {
    // This program wrote it.
    const deed = deedHash(JSON.parse(plan) as Plan);
    await grants.give({ agent, planHash, deed, command, rule, execution, ...givers }, grantMs);
  } catch (error) {
    throw new ClawrdenError('audit-unwritable', `it may run once, and not for a while: ${String(error)}`);
  }
}

function refusalOf(
  approval: PendingApproval,
  shown: string,
  { verdict, by, via, grantMs, stamp }: Stamped,
  { approvers, grants }: SettleParts,
): Resolution | undefined {
  const { id, planHash, agent } = approval;
  if (planHash !== shown)
    return { type: 'plan-changed', text: `plan-changed: approval ${id} has another plan than the one shown` };
  const door = doorRefusal(approval, via);
  if (door !== undefined) return door;
  const why = verdict === 'approved' ? whyNotCounted({ by, stamp }, approval, approvers) : undefined;
  if (why !== undefined) return { type: why, text: refusals[why](approval, by) };
  if (grantMs === undefined) return undefined;
  const noGrant = approval.noGrant || grants.whyFull(agent);
  return noGrant === ''
    ? undefined
    : { type: 'no-grant', text: `it can be approved once, and not for a while: ${noGrant}` };
}

/** Also a no: a chat that only tells decides nothing. */
function doorRefusal({ id, consent }: PendingApproval, via: string): Resolution | undefined {
  const doors = doorsOf(consent);
  if (doorsOfVia(via).every((door) => doors.includes(door))) return undefined;
  return {
    type: 'verdict-door',
    text: `verdict-door: approval ${id} is answered by ${doors.join(' or ')}: its rule says so`,
  };
}

const refusals: Record<NotCounted, (approval: PendingApproval, by: string) => string> = {
  'own-request': ({ caller }) => `${caller} asked for it; somebody else has to approve it`,
  'not-approver': ({ consent }, by) => `the yes of ${by} does not count: it needs ${consentText(consent)}`,
};

export async function notPending(id: string, store: ApprovalStore): Promise<Resolution> {
  if ((await store.find(id)) !== undefined) return alreadyResolved(id);
  return { type: 'unknown', text: `no pending approval ${id}` };
}

function alreadyResolved(id: string): Resolution {
  return {
    type: 'already-resolved',
    text: `approval ${id} was resolved before, has expired, or its requester is gone`,
  };
}

function alreadyOver(id: string, why: string): Resolution {
  return { type: 'already-resolved', text: `approval ${id} waits no more: ${why}` };
}
