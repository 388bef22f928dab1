import { type Kysely, sql } from 'kysely';

/** The numbers come before the blobs, so that summing them up reads no page of a blob. */
export async function createDetachedTable(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table detached (caller text not null, id text not null, started_at bigint not null,
    ended_at bigint, bytes bigint not null, no_input bigint not null, outcome text not null, plan_hash text not null,
    host text not null, container text not null, was_started bigint not null, stdout_truncated bigint not null,
    stderr_truncated bigint not null, input blob not null, stdout blob not null, stderr blob not null,
    primary key (caller, id))`);
  await run('create index detached_by_end on detached (ended_at, bytes)');
}

export async function addTails(database: Kysely<unknown>): Promise<void> {
  for (const name of ['stdout_tail', 'stderr_tail']) {
    const add = (column: string) => sql.raw(`alter table detached add column ${column}`).execute(database);
    await add(`${name}_from bigint not null default 0`);
    await add(`${name} blob not null default x''`);
  }
}
