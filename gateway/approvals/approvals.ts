import { abortable, deadline, onAbort } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { PendingApproval, Resolution, ShownVerdict, Verdict } from '../ports/verdict.ts';
import type { ApprovalRow } from '../store/database.ts';
import type { ApprovalStore } from './approval-store.ts';
import type { Grants } from './grants.ts';
import { isTooLarge, newRow, type Question, toPending } from './question-row.ts';

/**
 * Questions that wait for a person. Each is on the disk before anybody sees it, and is answered at most once. An
 * answered, expired or void question never changes, and an approved one allows at most one start.
 */
export interface Approvals {
  /** Throws `pending-limit` if the agent has too many waiting questions. */
  readonly ask: (question: Question) => Promise<Asked>;
  readonly pending: () => PendingApproval[];
  /** Calls `listener` after every change of the pending questions, until `signal` aborts. */
  readonly watch: (listener: () => void, signal: AbortSignal) => void;
  /** By its whole id, and only if `verdict.planHash` is the hash of its plan. */
  readonly resolve: (id: string, verdict: ShownVerdict) => Promise<Resolution>;
  /** Takes up the questions that an earlier gateway left unanswered or unused. */
  readonly restore: () => Promise<Restored[]>;
}

export interface Asked {
  readonly approval: PendingApproval;
  /** An earlier gateway wrote the verdict to the audit. */
  readonly verdictRecorded?: boolean;
  /**
   * Rejects with `approval-expired`, or with the signal's reason: the question is then void. If an answer came first,
   * the answer counts.
   */
  readonly verdict: (signal: AbortSignal) => Promise<Verdict>;
  /** Marks the one start of an approved question as done; throws if it was done before. */
  readonly use: () => Promise<void>;
}

export interface Restored extends Asked {
  readonly caller: string;
  readonly context: string;
}

interface Waiting {
  /** Writes it to the disk: only then does anybody see it. */
  listed: boolean;
  readonly approval: PendingApproval;
  readonly answer: PromiseWithResolvers<Verdict>;
}

export function createApprovals(
  store: ApprovalStore,
  grants: Pick<Grants, 'give'>,
  pendingPerAgent: number,
): Approvals {
  const waiting = new Map<string, Waiting>();
  const listeners = new Set<() => void>();

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function forget(id: string): void {
    if (waiting.delete(id)) changed();
  }

  function wait(approval: PendingApproval): Waiting & { readonly asked: Asked } {
    const answer = Promise.withResolvers<Verdict>();
    const entry = { listed: false, approval, answer };
    waiting.set(approval.id, entry);
    return Object.assign(entry, { asked: asked(approval, answer.promise, () => forget(approval.id), store) });
  }

  function list(entry: Waiting & { readonly asked: Asked }): Asked {
    entry.listed = true;
    changed();
    return entry.asked;
  }

  return {
    ask: async (question) => {
      checkShare([...waiting.values()], question.agent, pendingPerAgent);
      const row = newRow(question);
      const entry = wait(toPending(row));
      await store.insert(row).catch((error: unknown) => {
        waiting.delete(row.id);
        throw error;
      });
      return list(entry);
    },
    pending: () => [...waiting.values()].filter(({ listed }) => listed).map(({ approval }) => approval),
    watch: (listener, signal) => {
      listeners.add(listener);
      onAbort(signal, () => listeners.delete(listener));
    },
    resolve: async (id, verdict) => {
      const found = waiting.get(id);
      if (found?.listed !== true) return notPending(id, store);
      return settle(found, verdict, { store, grants, forget });
    },
    restore: async () => {
      const rows = await askable(await store.unfinished(), store);
      return rows.map((row) => ({
        ...restored(row, (approval) => list(wait(approval)), store),
        caller: row.caller,
        context: row.context,
      }));
    },
  };
}

interface Settling {
  readonly store: ApprovalStore;
  readonly grants: Pick<Grants, 'give'>;
  readonly forget: (id: string) => void;
}

async function settle(
  { approval, answer }: Waiting,
  { planHash, ...verdict }: ShownVerdict,
  { store, grants, forget }: Settling,
): Promise<Resolution> {
  const { id } = approval;
  const refusal = refusalOf(approval, planHash, verdict);
  if (refusal !== undefined) return refusal;
  if (!(await store.end({ id, planHash }, verdict))) return alreadyResolved(id);
  forget(id);
  // First: if it cannot be granted for a while, the yes counts once all the same.
  answer.resolve(verdict);
  await giveGrant(approval, verdict, grants);
  return { type: 'resolved', approval };
}

/** An older version had no limit, and nobody could be shown a larger plan: the question is void. */
async function askable(rows: readonly ApprovalRow[], store: ApprovalStore): Promise<ApprovalRow[]> {
  const ending = { verdict: 'void', by: '', via: '', reason: 'its plan is too large to be shown' } as const;
  for (const row of rows)
    if (isTooLarge(row)) await store.end({ id: row.id, planHash: row.plan_hash }, ending);
  return rows.filter((row) => !isTooLarge(row));
}

function refusalOf(
  { id, caller, planHash, noGrant }: PendingApproval,
  shown: string,
  { verdict, by, grantMs }: Verdict,
): Resolution | undefined {
  if (planHash !== shown)
    return { type: 'plan-changed', text: `plan-changed: approval ${id} has another plan than the one shown` };
  if (verdict === 'approved' && by === caller)
    return { type: 'own-request', text: `${caller} asked for it; somebody else has to approve it` };
  if (grantMs === undefined || noGrant === '') return undefined;
  return { type: 'no-grant', text: `it can be approved once, and not for a while: ${noGrant}` };
}

function checkShare(waiting: readonly Waiting[], agent: string, most: number): void {
  const ofAgent = waiting.filter(({ approval }) => approval.agent === agent).length;
  if (ofAgent < most) return;
  throw new ClawrdenError('pending-limit', `${ofAgent} commands of this agent already wait for approval`);
}

async function giveGrant(
  { agent, planHash, command, rule, executionId: execution }: PendingApproval,
  { verdict, grantMs, by }: Verdict,
  grants: Pick<Grants, 'give'>,
): Promise<void> {
  if (verdict !== 'approved' || grantMs === undefined) return;
  try {
    await grants.give({ agent, planHash, command, rule, execution, by: [by] }, grantMs);
  } catch (error) {
    throw new ClawrdenError('audit-unwritable', `it may run once, and not for a while: ${String(error)}`);
  }
}

/** An approved question has its answer already; a pending one waits again, for the rest of its time. */
function restored(row: ApprovalRow, wait: (approval: PendingApproval) => Asked, store: ApprovalStore): Asked {
  const approval = toPending(row);
  if (row.state === 'pending') return wait(approval);
  const verdict = {
    verdict: 'approved',
    by: row.verdict_by,
    via: row.verdict_via,
    reason: row.verdict_reason,
  } as const;
  return asked(approval, Promise.resolve(verdict), () => {}, store);
}

function asked(
  approval: PendingApproval,
  answer: Promise<Verdict>,
  forget: () => void,
  store: ApprovalStore,
): Asked {
  return {
    approval,
    verdict: (signal) => untilAnswered(approval, answer, signal, store).finally(forget),
    use: async () => {
      if (!(await store.use(approval.id))) {
        throw new ClawrdenError('internal', `approval ${approval.id} has let its one start go before`);
      }
    },
  };
}

async function untilAnswered(
  approval: PendingApproval,
  answer: Promise<Verdict>,
  signal: AbortSignal,
  store: ApprovalStore,
): Promise<Verdict> {
  const expired = new ClawrdenError('approval-expired', 'nobody answered in time');
  // A timer uses the monotonic clock: a change of the wall clock neither expires nor extends a question.
  using until = deadline(approval.expiresAt - Date.now(), () => expired, signal);
  try {
    return await abortable(answer, until.signal);
  } catch (error) {
    if (!until.signal.aborted) throw error;
    const reason = until.signal.reason as ClawrdenError;
    const verdict = reason === expired ? 'expired' : 'void';
    // If a verdict reached the disk first, it counts.
    if (!(await store.end(approval, { verdict, by: '', via: '', reason: reason.message })))
      return await answer;
    throw reason;
  }
}

async function notPending(id: string, store: ApprovalStore): Promise<Resolution> {
  if ((await store.find(id)) !== undefined) return alreadyResolved(id);
  return { type: 'unknown', text: `no pending approval ${id}` };
}

function alreadyResolved(id: string): Resolution {
  return {
    type: 'already-resolved',
    text: `approval ${id} was resolved before, has expired, or its requester is gone`,
  };
}
