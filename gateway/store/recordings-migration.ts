import { type Kysely, sql } from 'kysely';

export async function createRecordings(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table recordings (caller text not null, execution text not null, part integer not null,
    saved_at bigint not null, bytes bigint not null, begun_at bigint not null, cols integer not null,
    rows integer not null, data blob not null, primary key (caller, execution, part))`);
  await run('create index recordings_by_time on recordings (saved_at, bytes)');
}
