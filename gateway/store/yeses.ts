import { sql } from 'kysely';
import type { Yes } from '../ports/verdict.ts';
import type { Database, YesRow } from './database.ts';

/** Takes the place of an earlier yes of the same principal. False if no question with this plan is pending any more. */
export async function keepYes(
  database: Database,
  { id, planHash }: { readonly id: string; readonly planHash: string },
  { by, via, reason, at, grantMs, stamp }: Yes,
): Promise<boolean> {
  const { numAffectedRows } = await sql`insert or replace into yeses
    (approval, given_by, via, reason, given_at, grant_ms, stamp)
    select id, ${by}, ${via}, ${reason}, ${at}, ${grantMs ?? null}, ${stamp} from approvals
    where id = ${id} and plan_hash = ${planHash} and state = 'pending'`.execute(database);
  return numAffectedRows === 1n;
}

/** Of the questions that wait, by their ids; each one's in the order in which they came. */
export async function readYeses(database: Database): Promise<ReadonlyMap<string, readonly Yes[]>> {
  const rows = await database
    .selectFrom('yeses')
    .innerJoin('approvals', 'approvals.id', 'yeses.approval')
    .selectAll('yeses')
    .where('approvals.state', '=', 'pending')
    .orderBy('yeses.given_at')
    .execute();
  const grouped = Map.groupBy(rows, ({ approval }) => approval);
  return new Map([...grouped].map(([id, its]) => [id, its.map(yesOfRow)]));
}

function yesOfRow({ given_by: by, via, reason, given_at: at, grant_ms, stamp }: YesRow): Yes {
  return { by, via, reason, at, stamp, ...(grant_ms !== null && { grantMs: grant_ms }) };
}
