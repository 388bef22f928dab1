import { ClawrdenError } from '../../src/errors.ts';
import { createListeners } from '../../src/listeners.ts';
import { deedHash, type Plan } from '../../src/plan.ts';
import type {
  EarlierAnswer,
  PendingApproval,
  Resolution,
  ShownVerdict,
  Verdict,
  Yes,
} from '../ports/verdict.ts';
import type { ApprovalRow } from '../store/database.ts';
import type { ApprovalStore } from './approval-store.ts';
import { namesIn } from './approver-names.ts';
import { type Asked, asked } from './asked.ts';
import { isTooLarge, newRow, type Question, toPending } from './question-row.ts';
import {
  notPending,
  type Open,
  openQuestion,
  type SettleParts,
  settle,
  shownQuestion,
} from './settle-question.ts';

/**
 * Questions that wait for people. Each is on the disk before anybody sees it, and is answered at most once. An
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
  /** How the same plan of the same agent was answered before, the newest first. */
  readonly earlier: (
    approval: Pick<PendingApproval, 'agent' | 'planHash' | 'plan'>,
  ) => Promise<EarlierAnswer[]>;
  /** A person's answer that is on the disk; undefined if there is none. */
  readonly answerTo: (id: string) => Promise<ShownVerdict | undefined>;
  /** Takes up the questions that an earlier gateway left unanswered or unused. */
  readonly restore: () => Promise<Restored[]>;
}

export interface Restored extends Asked {
  readonly caller: string;
  readonly context: string;
}

export interface ApprovalsParts extends SettleParts {
  readonly pendingPerAgent: number;
}

interface Waiting extends Open {
  /** Writes it to the disk: only then does anybody see it. */
  listed: boolean;
}

export function createApprovals(parts: ApprovalsParts): Approvals {
  const { store, approvers, pendingPerAgent } = parts;
  const waiting = new Map<string, Waiting>();
  const { watch, tell: changed } = createListeners();

  function forget(id: string): void {
    if (waiting.delete(id)) changed();
  }

  function wait(approval: PendingApproval, yeses: readonly Yes[] = []): Waiting {
    const entry = Object.assign(openQuestion(approval, yeses), { listed: false });
    waiting.set(approval.id, entry);
    return entry;
  }

  function list(entry: Waiting): Asked {
    entry.listed = true;
    changed();
    const { approval, answer } = entry;
    const over = (why: string) => void (entry.over = why);
    const awaited = () => void (entry.isAwaited = true);
    const recorded = (failed?: Error) =>
      failed === undefined ? entry.recorded.resolve() : entry.recorded.reject(failed);
    const forgotten = () => forget(approval.id);
    return asked({ approval, answer: answer.promise, recorded, awaited, over, forget: forgotten }, store);
  }

  async function say(entry: Waiting, verdict: ShownVerdict): Promise<Resolution> {
    const resolution = await settle(entry, verdict, parts, () => forget(entry.approval.id));
    if (resolution.type === 'noted') changed();
    return resolution;
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
    pending: () =>
      [...waiting.values()].flatMap((each) => (each.listed ? [shownQuestion(each, approvers)] : [])),
    watch,
    resolve: async (id, verdict) => {
      const found = waiting.get(id);
      return found?.listed === true ? say(found, verdict) : notPending(id, store);
    },
    earlier: async ({ agent, planHash, plan }) => {
      const deed = deedHash(JSON.parse(plan) as Plan);
      return (await store.answers({ agent, planHash, deed }, earlierAtMost)).map(toEarlier);
    },
    answerTo: async (id) => answerOf(await store.find(id)),
    restore: () => restoreAll(store, (approval, yeses) => list(wait(approval, yeses))),
  };
}

function answerOf(row: ApprovalRow | undefined): ShownVerdict | undefined {
  const verdict = (['approved', 'denied'] as const).find((each) => each === row?.state);
  if (row === undefined || verdict === undefined) return undefined;
  const { verdict_by: by, verdict_via: via, verdict_reason: reason, plan_hash: planHash } = row;
  return { verdict, by, via, reason, planHash };
}

const earlierAtMost = 5;

function toEarlier({ state, verdict_by, verdict_reason, created_at }: ApprovalRow): EarlierAnswer {
  const verdict = state === 'approved' ? 'approved' : 'denied';
  return { verdict, by: verdict_by, reason: verdict_reason, askedAt: created_at };
}

type Wait = (approval: PendingApproval, yeses: readonly Yes[]) => Asked;

async function restoreAll(store: ApprovalStore, wait: Wait): Promise<Restored[]> {
  const rows = await askable(await store.unfinished(), store);
  const yeses = await store.yeses();
  return rows.map((row) => ({
    ...restored(row, yeses.get(row.id) ?? [], wait, store),
    caller: row.caller,
    context: row.context,
  }));
}

/** An older version had no limit, and nobody could be shown a larger plan: the question is void. */
async function askable(rows: readonly ApprovalRow[], store: ApprovalStore): Promise<ApprovalRow[]> {
  const ending = { verdict: 'void', by: '', via: '', reason: 'its plan is too large to be shown' } as const;
  for (const row of rows)
    if (isTooLarge(row)) await store.end({ id: row.id, planHash: row.plan_hash }, ending);
  return rows.filter((row) => !isTooLarge(row));
}

function checkShare(waiting: readonly Waiting[], agent: string, most: number): void {
  const ofAgent = waiting.filter(({ approval }) => approval.agent === agent).length;
  if (ofAgent < most) return;
  throw new ClawrdenError('pending-limit', `${ofAgent} commands of this agent already wait for approval`);
}

/** An approved question has its answer already; a pending one waits again, for the rest of its time. */
function restored(row: ApprovalRow, yeses: readonly Yes[], wait: Wait, store: ApprovalStore): Asked {
  const approval = toPending(row);
  if (row.state === 'pending') return wait(approval, yeses);
  const said = { by: row.verdict_by, via: row.verdict_via, reason: row.verdict_reason };
  const stamps = namesIn(row.verdict_stamps);
  const givers = namesIn(row.verdict_by).map((by, at) => ({ by, stamp: stamps[at] ?? '' }));
  const verdict: Verdict = { verdict: 'approved', ...said, ...(row.verdict_stamps !== '' && { givers }) };
  const nothing = () => {};
  const ends = { over: nothing, forget: nothing, awaited: nothing, recorded: nothing };
  return asked({ approval, answer: Promise.resolve(verdict), ...ends }, store);
}
