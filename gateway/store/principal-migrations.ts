import { type Kysely, sql } from 'kysely';

export async function createPrincipals(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table people (name text primary key not null, role text not null, scope text not null,
    until bigint, set_by text not null, set_at bigint not null, removed bigint not null, let_in bigint not null)`);
  await run(`create table api_tokens (name text primary key not null, principal text not null, role text not null,
    scope text not null, digest text not null, former_digest text not null, former_until bigint not null,
    until bigint, set_by text not null, set_at bigint not null, removed bigint not null,
    used_at bigint, used_from text not null)`);
}

/** Only relays were revoked and enrolled; now everybody with a certificate is, under the name of a principal. */
export async function renameRelays(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table revocations (principal text primary key not null, set_by text not null, reason text not null,
    set_at bigint not null, epoch bigint not null)`);
  await run(
    `insert into revocations select 'relay:' || relay, set_by, reason, set_at, epoch from revoked_relays`,
  );
  await run('create table enrolled (principal text primary key not null)');
  await run(`insert into enrolled select 'relay:' || relay from enrolled_relays`);
  await run(
    'create table later_certificates (fingerprint text primary key not null, principal text not null, epoch bigint not null)',
  );
  await run(
    `insert into later_certificates select fingerprint, 'relay:' || relay, epoch from reissued_certificates`,
  );
  for (const table of ['revoked_relays', 'enrolled_relays', 'reissued_certificates'])
    await run(`drop table ${table}`);
}

/** A token whose answer was lost is answered again, for the same key. */
export async function addAnswers(database: Kysely<unknown>): Promise<void> {
  const run = (column: string) =>
    sql.raw(`alter table enrolment_tokens add column ${column}`).execute(database);
  await run("used_by text not null default ''");
  await run("certificate text not null default ''");
  await run('answers integer not null default 0');
}
