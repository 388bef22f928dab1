import { sql } from 'kysely';
import type { Database } from './database.ts';

/** What one receiver may have in a queue. */
export interface QueueBounds {
  readonly rows: number;
  readonly bytes: number;
}

/** Whose they are, and between whom the room is shared. */
const queues = {
  chat_posts: { receiver: sql.ref('chat'), sharer: sql`''` },
  hook_deliveries: { receiver: sql.ref('hook'), sharer: sql.ref('agent') },
} as const;

/**
 * The oldest rows of one receiver go first; of a queue that agents share, those of the agent that has most. Resolves
 * with how many went.
 */
export async function keepNewest(
  database: Database,
  queue: keyof typeof queues,
  name: string,
  { rows, bytes }: QueueBounds,
): Promise<number> {
  const [table, { receiver, sharer }] = [sql.table(queue), queues[queue]];
  const { numAffectedRows = 0n } = await sql`delete from ${table} where row in (
    select row from (
      select row, row_number() over fairly as place, sum(bytes) over fairly as total from (
        select row, bytes, (count(*) over own) * 1.0 / ${rows} + (sum(bytes) over own) * 1.0 / ${bytes} as share
        from ${table} where ${receiver} = ${name} window own as (partition by ${sharer} order by row desc)
      ) window fairly as (order by share, row desc)
    ) where place > ${rows} or total > ${bytes})`.execute(database);
  return Number(numAffectedRows);
}
