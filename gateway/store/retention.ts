import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { believedTime, keepBelievedTime } from './believed-time.ts';
import type { Database } from './database.ts';

/** Rows that are deleted at once, so that other statements wait only a few milliseconds. */
const batch = 500;
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
  const outputs = sql`delete from outputs where rowid in (
    select rowid from outputs where saved_at < ${before} limit ${batch})`;
  const recordings = sql`delete from recordings where (caller, execution, part) in (
    select caller, execution, part from recordings where saved_at < ${before} limit ${batch})`;
  const grants = sql`delete from grants where until < ${before}`;
  const yeses = sql`delete from yeses where approval not in (select id from approvals)`;
  let removed = 0;
  for (const statement of [executions, approvals, outputs, recordings, grants, yeses]) {
    for (let more = true; more && !signal.aborted; await turn()) {
      const { numAffectedRows = 0n } = await statement.execute(database);
      removed += Number(numAffectedRows);
      more = Number(numAffectedRows) === batch;
    }
  }
  return removed;
}
