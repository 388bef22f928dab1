import { type Kysely, sql } from 'kysely';

/** Agents share a webhook's queue. */
export async function addDeliveryAgents(database: Kysely<unknown>): Promise<void> {
  await sql`alter table hook_deliveries add column agent text not null default ''`.execute(database);
}

/** What webhooks wait for, and which questions were told. */
export async function createNotices(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table hook_deliveries (row integer primary key autoincrement, hook text not null, id text not null,
    event text not null, body text not null, bytes bigint not null, made_at bigint not null, next_at bigint not null,
    tries bigint not null, unique (hook, id))`);
  await run('create index hook_deliveries_by_time on hook_deliveries (hook, next_at)');
  await run(`create table told_questions (approval text primary key not null, told_at bigint not null,
    reminded bigint not null, escalated bigint not null)`);
}
