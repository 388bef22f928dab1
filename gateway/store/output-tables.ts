import { type Kysely, sql } from 'kysely';

export async function createOutputs(database: Kysely<unknown>): Promise<void> {
  let table = database.schema
    .createTable('outputs')
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('execution', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('outputs_key', ['caller', 'execution']);
  for (const name of ['saved_at', 'bytes', 'stdout_dropped', 'stderr_dropped'])
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  for (const name of ['stdout_head', 'stdout_tail', 'stderr_head', 'stderr_tail'])
    table = table.addColumn(name, 'blob', (column) => column.notNull());
  await table.execute();
  await database.schema.createIndex('outputs_by_time').on('outputs').columns(['saved_at', 'bytes']).execute();
}

export async function createRecordings(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table recordings (caller text not null, execution text not null, part integer not null,
    saved_at bigint not null, bytes bigint not null, begun_at bigint not null, cols integer not null,
    rows integer not null, data blob not null, primary key (caller, execution, part))`);
  await run('create index recordings_by_time on recordings (saved_at, bytes)');
}
