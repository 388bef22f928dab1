import { sql } from 'kysely';
import type { RecordedVerdict, Yes } from '../ports/verdict.ts';
import type { ApprovalRow, Database } from '../store/database.ts';
import { keepYes, readYeses } from '../store/yeses.ts';
import { joinNames } from './approver-names.ts';

/** A plan is kept as long as its question can be answered or used. Its hash stays, and so does what history has of it. */
const forgotten = { plan: '' } as const;

/** Approvals on the disk: every change is one statement that names the state it expects. */
export interface ApprovalStore {
  readonly insert: (row: ApprovalRow) => Promise<void>;
  /** False if no approval with this plan is pending any more: its state then never changes again. */
  readonly end: (approval: { id: string; planHash: string }, verdict: RecordedVerdict) => Promise<boolean>;
  /** Marks its one start as done; false if that was done before, or if it is not approved. */
  readonly use: (id: string) => Promise<boolean>;
  /**
   * Pending ones, and approved ones whose start has not happened and whose time has not passed. Pending ones whose
   * time has passed become expired.
   */
  readonly unfinished: () => Promise<ApprovalRow[]>;
  /** False if no approval with this plan is pending any more. */
  readonly addYes: (approval: { id: string; planHash: string }, yes: Yes) => Promise<boolean>;
  /** Of those that are pending, by their ids. */
  readonly yeses: () => Promise<ReadonlyMap<string, readonly Yes[]>>;
  /** How the same plan of the same agent, or one that does the same by another policy, was answered; the newest first. */
  readonly answers: (
    of: { readonly agent: string; readonly planHash: string; readonly deed: string },
    most: number,
  ) => Promise<ApprovalRow[]>;
  readonly find: (id: string) => Promise<ApprovalRow | undefined>;
}

export function createApprovalStore(database: Database): ApprovalStore {
  return {
    insert: async (row) => void (await database.insertInto('approvals').values(row).execute()),
    end: async ({ id, planHash }, { verdict: state, by, via, reason, givers = [] }) => {
      const columns = {
        ...{ verdict_by: by, verdict_via: via, verdict_reason: reason, resolved_at: Date.now() },
        verdict_stamps: joinNames(givers.map(({ stamp }) => stamp)),
      };
      const result = await database
        .updateTable('approvals')
        .set({ state, ...columns, ...(state !== 'approved' && forgotten) })
        .where('id', '=', id)
        .where('plan_hash', '=', planHash)
        .where('state', '=', 'pending')
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    use: async (id) => {
      const result = await database
        .updateTable('approvals')
        .set({ used_at: Date.now(), ...forgotten })
        .where('id', '=', id)
        .where('state', '=', 'approved')
        .where('used_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    unfinished: async () => {
      const now = Date.now();
      await expirePending(database, now);
      await forgetPlans(database, now);
      return (
        database
          .selectFrom('approvals')
          .selectAll()
          .where('state', 'in', ['pending', 'approved'])
          .where('used_at', 'is', null)
          .where('expires_at', '>', now)
          // Forgotten before the clock was set back.
          .where('plan', '<>', '')
          .execute()
      );
    },
    addYes: (approval, yes) => keepYes(database, approval, yes),
    yeses: () => readYeses(database),
    answers: (question, most) => answersTo(database, question, most),
    find: (id) => database.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst(),
  };
}

/** Literal, not bound: only then does the database see that the partial indexes answer the query. */
const isAnswered = sql<boolean>`state in ('approved', 'denied')`;

/** The newest first. Each of the two conditions has an index in that order; together they have none. */
async function answersTo(
  database: Database,
  { agent, planHash, deed }: Parameters<ApprovalStore['answers']>[0],
  most: number,
): Promise<ApprovalRow[]> {
  const found = new Map<string, ApprovalRow>();
  for (const [column, value] of [
    ['plan_hash', planHash],
    ['deed', deed],
  ] as const) {
    const query = database
      .selectFrom('approvals')
      .selectAll()
      .where(isAnswered)
      .where('agent', '=', agent)
      .where(column, '=', value);
    const rows = await query.orderBy('created_at', 'desc').limit(most).execute();
    for (const row of rows) found.set(row.id, row);
  }
  return [...found.values()].toSorted((a, b) => b.created_at - a.created_at).slice(0, most);
}

async function expirePending(database: Database, now: number): Promise<void> {
  await database
    .updateTable('approvals')
    .set({ state: 'expired', verdict_reason: 'nobody answered in time', resolved_at: now, ...forgotten })
    .where('state', '=', 'pending')
    .where('expires_at', '<=', now)
    .execute();
}

/** Of what was approved and never let go, since its gateway was killed. */
async function forgetPlans(database: Database, now: number): Promise<void> {
  await database
    .updateTable('approvals')
    .set(forgotten)
    .where('state', '=', 'approved')
    .where('used_at', 'is', null)
    .where('expires_at', '<=', now)
    .where('plan', '<>', '')
    .execute();
}
