import { z } from 'zod';
import { ClawrdenError } from '../src/errors.ts';
import { type Plan, planHash } from '../src/plan.ts';
import type { Approvals, Restored } from './approvals/approvals.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { executionKey } from './audit/recorded-executions.ts';
import { continueAsked, type ExecuteParts } from './execute.ts';
import { recordablePlan } from './execution/bounded-records.ts';
import { type Records, settleHistory } from './execution/settle-history.ts';
import type { StartContext } from './execution/start-context.ts';
import type { ExecutionRecord } from './ports/execution-record.ts';
import type { History } from './store/history.ts';

const contextSchema = z.object({
  wiring: z.object({
    stdio: z.tuple([z.string(), z.string(), z.string()]),
    ignored: z.array(z.number()),
    blocked: z.array(z.number()).optional(),
    terminal: z.object({ cols: z.number(), rows: z.number() }).optional(),
  }),
  hostLabels: z.record(z.string(), z.string()),
  said: z.string().optional(),
  traceparent: z.string().optional(),
});

/**
 * Restores every execution that waited for a person when the last gateway ended: its caller has 30 s to come back.
 * All others that were open have ended with that gateway.
 */
export async function restoreWaiting(
  parts: ExecuteParts,
  approvals: Approvals,
  records: Records,
): Promise<number> {
  const leftovers = await settleHistory(records);
  const taken = new Set<string>();
  for (const asked of await approvals.restore()) {
    const key = executionKey(asked.caller, asked.approval.executionId);
    // One that waits still gets a verdict of its own, whatever the audit has of a database that was put back.
    const verdictRecorded = leftovers.hasVerdict(key) && !waits(asked, approvals);
    const restored =
      !leftovers.isUsed(key) && (await restoreOne(parts, { ...asked, verdictRecorded }, records.history));
    if (restored) taken.add(key);
    else await giveUp(asked, approvals, records.audit);
  }
  const isTold = (key: string) => taken.has(key) || leftovers.hasVerdict(key);
  await recordAnswers(records, approvals, isTold);
  await leftovers.endAllBut(taken);
  return taken.size;
}

/** A person's answer is on the disk before it is in the audit, and its gateway may have been killed between. */
async function recordAnswers(
  { history, audit }: Records,
  approvals: Pick<Approvals, 'answerTo'>,
  isTold: (key: string) => boolean,
): Promise<void> {
  for (const { id: execution, caller, agent, approvalId: approval, approver } of await history.unended()) {
    if (approval === '' || approver !== '' || isTold(executionKey(caller, execution))) continue;
    const answer = await approvals.answerTo(approval);
    if (answer !== undefined)
      await audit.append({ type: 'verdict', execution, caller, agent, approval, ...answer });
  }
}

async function restoreOne(parts: ExecuteParts, asked: Restored, history: History): Promise<boolean> {
  const { approval, caller, context } = asked;
  const record = await history.get(caller, approval.executionId);
  if (record === undefined || record.state === 'ended') return false;
  const sealed = {
    // This program wrote it, and its hash is checked here.
    plan: JSON.parse(approval.plan) as Plan,
    canonical: approval.plan,
    hash: planHash(approval.plan),
  };
  if (sealed.hash !== approval.planHash) return false;
  // The history may be behind, and have the plan as it was before its scripts were looked at; or ahead, and have the
  // start that the last gateway did not come to.
  const told: ExecutionRecord = {
    ...record,
    state: 'awaiting-approval',
    plan: recordablePlan(sealed.canonical),
    planHash: sealed.hash,
  };
  const execution = parts.ledger.restore(told, contextSchema.parse(JSON.parse(context)) as StartContext);
  void continueAsked(parts, execution, asked, sealed);
  return true;
}

function waits({ approval: { id } }: Restored, approvals: Approvals): boolean {
  return approvals.pending().some((each) => each.id === id);
}

const nothingWaits = 'its command waits no more';

/** Nobody could use the answer: the question is void, and nobody is shown it; one that was approved is used up. */
async function giveUp(asked: Restored, approvals: Approvals, audit: AuditLog): Promise<void> {
  const { id, executionId: execution, agent, planHash: hash } = asked.approval;
  if (waits(asked, approvals)) {
    const nobody = { verdict: 'void', by: '', via: '', reason: nothingWaits } as const;
    await audit.append({
      ...{ type: 'verdict', execution, caller: asked.caller, agent, approval: id },
      ...nobody,
      planHash: hash,
    });
  }
  const over = AbortSignal.abort(new ClawrdenError('requester-gone', nothingWaits));
  await asked
    .verdict(over)
    .then(asked.use)
    .catch(() => {});
}
