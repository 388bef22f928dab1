import { setImmediate as turn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { believedTime, keepBelievedTime } from './believed-time.ts';
import type { Database } from './database.ts';
import { deleteBefore } from './make-room.ts';

/** Rows that are deleted at once: one of an execution takes a tenth of a millisecond, for its indexes. */
const batch = 100;
const everyMs = 60 * 60 * 1000;

/**
 * Now and every hour, deletes from the database executions that ended more than `keepMs` ago by the believed time, their
 * recorded output, and approvals and grants whose time was over then. Stops when the returned function is called. The
 * audit keeps them, without the output.
 */
export function keepRetention(database: Database, keepMs: number): () => void {
  const stopped = new AbortController();
  // A failed removal is tried again; if the database cannot be written, its writers report it.
  const sweep = () =>
    void believedTime(database)
      .then((now) => removeOlder(database, now - keepMs, stopped.signal))
      .catch(() => {});
  const stopTime = keepBelievedTime(database);
  const timer = setInterval(sweep, everyMs).unref();
  sweep();
  return () => {
    clearInterval(timer);
    stopTime();
    stopped.abort();
  };
}

/** Resolves with the number of deleted rows. */
export async function removeOlder(database: Database, before: number, signal: AbortSignal): Promise<number> {
  const executions = sql`delete from executions where (caller, id) in (
    select caller, id from executions where received_at < ${before} and ended_at < ${before} limit ${batch})`;
  const approvals = sql`delete from approvals where id in (
    select id from approvals where expires_at < ${before} and state <> 'pending' limit ${batch})`;
  const grants = sql`delete from grants where until < ${before}`;
  const yeses = sql`delete from yeses where approval not in (select id from approvals)`;
  const run = (statement: RawBuilder<unknown>) => async () =>
    Number((await statement.execute(database)).numAffectedRows ?? 0n);
  const kept = (table: 'outputs' | 'recordings') => () => deleteBefore(database, table, before);
  const rows = [executions, approvals, grants, yeses].map(run);
  let removed = 0;
  for (const remove of [...rows, kept('outputs'), kept('recordings')]) {
    for (let more = true; more && !signal.aborted; await turn()) {
      const gone = await remove();
      removed += gone;
      more = gone > 0;
    }
  }
  return removed;
}
