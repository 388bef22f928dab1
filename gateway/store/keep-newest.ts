import { sql } from 'kysely';
import type { Database } from './database.ts';

/** What one receiver may have in a queue. */
export interface QueueBounds {
  readonly rows: number;
  readonly bytes: number;
}

/** Whose they are. */
const queues = {
  chat_posts: sql.ref('chat'),
  hook_deliveries: sql.ref('hook'),
} as const;

/** Of one receiver, the oldest rows of the agent that has most go first. Resolves with how many went. */
export async function keepNewest(
  database: Database,
  queue: keyof typeof queues,
  name: string,
  { rows, bytes }: QueueBounds,
): Promise<number> {
  const [table, receiver] = [sql.table(queue), queues[queue]];
  const { numAffectedRows = 0n } = await sql`delete from ${table} where row in (
    select row from (
      select row, row_number() over fairly as place, sum(bytes) over fairly as total from (
        select row, bytes, (count(*) over own) * 1.0 / ${rows} + (sum(bytes) over own) * 1.0 / ${bytes} as share
        from ${table} where ${receiver} = ${name} window own as (partition by agent order by row desc)
      ) window fairly as (order by share, row desc)
    ) where place > ${rows} or total > ${bytes})`.execute(database);
  return Number(numAffectedRows);
}
