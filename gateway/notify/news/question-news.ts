import { setImmediate as turn } from 'node:timers/promises';
import { createInTurn } from '../../../src/in-turn.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import type { EndedQuestion, News } from '../../ports/notifier.ts';
import type { PendingApproval } from '../../ports/verdict.ts';
import type { ApprovalRow } from '../../store/database.ts';
import type { ToldQuestionRow } from '../../store/notice-rows.ts';
import type { ToldQuestions } from '../../store/notices.ts';
import { withMaskedPlan } from '../mask-plan.ts';

export interface QuestionNewsParts {
  readonly pending: () => readonly PendingApproval[];
  readonly approvals: Pick<ApprovalStore, 'find'>;
  readonly told: ToldQuestions;
  readonly tell: (news: News) => Promise<void>;
}

/**
 * Tells of each question that it waits, and later how it ended. What was told is on the disk, so a question that
 * ended while no gateway ran is told, too, and nothing is told twice but after a crash, with the same id.
 */
export function createQuestionNews(given: QuestionNewsParts): () => Promise<void> {
  const tell = async (news: News) => {
    // The database answers within the same turn: many long plans that come at once would hold up everything.
    await turn();
    await given.tell(news);
  };
  const parts = { ...given, tell };
  const inTurn = createInTurn();
  let told: Map<string, Told> | undefined;
  let next: Promise<void> | undefined;
  return () => {
    // One that waits tells of all that has changed until its turn: a database that is slow makes no queue.
    next ??= inTurn(async () => {
      next = undefined;
      told ??= new Map(
        (await parts.told.all()).map((row) => [row.approval, { row, yeses: '', since: undefined }]),
      );
      await tellChanges(told, parts);
    });
    return next;
  };
}

interface Told {
  readonly row: ToldQuestionRow;
  /** Whose yes counted when it was told last; a gateway before this one may have told of some. */
  yeses: string;
  /** When it came, on the monotonic clock: its time to answer is of that clock, too. Undefined before it was seen here. */
  since: number | undefined;
}

async function tellChanges(told: Map<string, Told>, parts: QuestionNewsParts): Promise<void> {
  const now = parts.pending();
  const waiting = new Set(now.map(({ id }) => id));
  for (const question of now) {
    const known = told.get(question.id);
    if (known === undefined) await tellNew(question, told, parts);
    else {
      await tellChange(question, known, parts);
      await tellAgain(question, known, parts);
    }
  }
  for (const id of [...told.keys()].filter((each) => !waiting.has(each))) await tellEnd(id, told, parts);
}

async function tellNew(
  question: PendingApproval,
  told: Map<string, Told>,
  { told: kept, tell }: QuestionNewsParts,
): Promise<void> {
  const { id, createdAt: at } = question;
  await tell({ event: 'question', id: `question/${id}`, at, ...withMaskedPlan(question) });
  const row = { approval: id, told_at: Date.now(), reminded: 0, escalated: 0 };
  await kept.add(row);
  told.set(id, { row, yeses: yesesOf(question), since: sinceOf(question) });
}

/** Of a question of an earlier gateway only the wall clock tells. */
function sinceOf({ createdAt }: PendingApproval): number {
  return performance.now() - Math.max(0, Date.now() - createdAt);
}

/** After the first yes of two, or when one counts no more. */
async function tellChange(
  question: PendingApproval,
  known: Told,
  { tell }: QuestionNewsParts,
): Promise<void> {
  const yeses = yesesOf(question);
  if (yeses === known.yeses) return;
  const id = `question-changed/${question.id}`;
  await tell({ event: 'question-changed', id, at: Date.now(), ...withMaskedPlan(question) });
  known.yeses = yeses;
}

function yesesOf({ yeses }: PendingApproval): string {
  return yeses.flatMap(({ by, counts }) => (counts ? [by] : [])).join();
}

/** Nobody has answered it for as long as its rule says. */
async function tellAgain(
  question: PendingApproval,
  known: Told,
  { told: kept, tell }: QuestionNewsParts,
): Promise<void> {
  const { id, consent } = question;
  const { remindMs, escalate } = consent;
  const { row } = known;
  known.since ??= sinceOf(question);
  const [at, waited, before] = [Date.now(), performance.now() - known.since, { ...row }];
  if (escalate !== undefined && row.escalated === 0 && waited >= escalate.afterMs) {
    const { to } = escalate;
    await tell({
      event: 'question-escalated',
      id: `question-escalated/${id}`,
      at,
      to,
      ...withMaskedPlan(question),
    });
    row.escalated = 1;
  }
  // What was missed while no gateway ran is one reminder.
  const due = remindMs === undefined ? 0 : Math.floor(waited / remindMs);
  if (due > row.reminded && row.reminded < remindersAtMost) {
    await tell({
      event: 'question-reminder',
      id: `question-reminder/${id}/${due}`,
      at,
      ...withMaskedPlan(question),
    });
    row.reminded = due;
  }
  if (row.escalated !== before.escalated || row.reminded !== before.reminded) await kept.note(row);
}

async function tellEnd(
  id: string,
  told: Map<string, Told>,
  { approvals, told: kept, tell }: QuestionNewsParts,
): Promise<void> {
  const row = await approvals.find(id);
  const question = row && endOf(row);
  const at = row?.resolved_at ?? Date.now();
  if (question !== undefined)
    await tell({ event: 'question-ended', id: `question-ended/${id}`, at, question });
  await kept.remove(id);
  told.delete(id);
}

const remindersAtMost = 20;

const ends = ['approved', 'denied', 'expired', 'void'] as const;

/** Undefined if it waits: then a gateway before this one was killed, and nobody came back for it yet. */
function endOf(row: ApprovalRow): EndedQuestion | undefined {
  const state = ends.find((each) => each === row.state);
  return (
    state && {
      id: row.id,
      executionId: row.execution_id,
      agent: row.agent,
      rule: row.rule,
      state,
      by: row.verdict_by,
      via: row.verdict_via,
      reason: row.verdict_reason,
    }
  );
}
