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
