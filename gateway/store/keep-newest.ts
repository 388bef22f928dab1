import { sql } from 'kysely';
import type { Database } from './database.ts';

/** What one receiver may have in a queue. */
export interface QueueBounds {
  readonly rows: number;
  readonly bytes: number;
}

const receivers = { chat_posts: 'chat', hook_deliveries: 'hook' } as const;

/** The oldest rows of one receiver go first. Resolves with how many went. */
export async function keepNewest(
  database: Database,
  queue: keyof typeof receivers,
  receiver: string,
  { rows, bytes }: QueueBounds,
): Promise<number> {
  const [table, name] = [sql.table(queue), sql.ref(receivers[queue])];
  const { numAffectedRows = 0n } = await sql`delete from ${table} where row in (
    select row from (
      select row, row_number() over newest as place, sum(bytes) over newest as total
      from ${table} where ${name} = ${receiver} window newest as (order by row desc)
    ) where place > ${rows} or total > ${bytes})`.execute(database);
  return Number(numAffectedRows);
}
