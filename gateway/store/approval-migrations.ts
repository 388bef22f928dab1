import { type Kysely, sql } from 'kysely';

/** A plan had one grant at most, which nobody could name. */
export async function nameGrants(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run('alter table grants rename to nameless_grants');
  await run(`create table grants (id text primary key not null, agent text not null, plan_hash text not null,
    command text not null, rule text not null, execution text not null, granted_by text not null,
    given_at bigint not null, until bigint not null)`);
  await run(`insert into grants select lower(hex(randomblob(8))), agent, plan_hash, '', '', '', granted_by, 0, until
    from nameless_grants`);
  await run('drop table nameless_grants');
}

/** Who is asked sees how the same plan was answered before. */
export async function indexPlans(database: Kysely<unknown>): Promise<void> {
  await sql.raw('create index approvals_by_plan on approvals (plan_hash, created_at)').execute(database);
}

/** What a person said of a plan counts for one that does the same by another policy. */
export async function addDeeds(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  for (const table of ['approvals', 'grants'])
    await run(`alter table ${table} add column deed text not null default ''`);
  await run('create index approvals_by_deed on approvals (deed, created_at)');
}

/** An agent's answers alone, so that neither others' rows nor what was never answered are read. */
export async function indexAnswers(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  for (const [index, column] of [
    ['approvals_by_plan', 'plan_hash'],
    ['approvals_by_deed', 'deed'],
  ]) {
    await run(`drop index ${index}`);
    await run(`create index ${index} on approvals (agent, ${column}, created_at)
      where state in ('approved', 'denied')`);
  }
}

/** A yes counts until its start only if its giver may give it all that time. */
export async function addVerdictStamps(database: Kysely<unknown>): Promise<void> {
  await sql.raw("alter table approvals add column verdict_stamps text not null default ''").execute(database);
}

/** Questions that need more than one person, and who is one person. */
export async function addConsent(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run("alter table approvals add column consent text not null default ''");
  await run("alter table grants add column stamps text not null default ''");
  await run(`create table yeses (approval text not null, given_by text not null, via text not null, reason text not null,
    given_at bigint not null, grant_ms bigint, stamp text not null, primary key (approval, given_by))`);
  await run(`create table links (principal text primary key not null, person text not null, set_by text not null,
    set_at bigint not null)`);
}
