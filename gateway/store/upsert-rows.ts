import type { CompiledQuery } from 'kysely';
import type { Database, ExecutionRow } from './database.ts';

/** Writes rows in one transaction, each with the same statement: building it costs more than running it. */
export function createUpsert(database: Database): (rows: readonly ExecutionRow[]) => Promise<void> {
  let built: CompiledQuery | undefined;
  return async (rows) => {
    const [first] = rows;
    if (first === undefined) return;
    built ??= compileUpsert(database, first);
    const statement = built;
    const columns = columnsOf(first);
    await database.transaction().execute(async (transaction) => {
      for (const row of rows) {
        const parameters = columns.map((column) => row[column]);
        await transaction.executeQuery({ ...statement, parameters });
      }
    });
  };
}

function compileUpsert(database: Database, row: ExecutionRow): CompiledQuery {
  return database
    .insertInto('executions')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'id'])
        .doUpdateSet((expression) =>
          Object.fromEntries(columnsOf(row).map((column) => [column, expression.ref(`excluded.${column}`)])),
        ),
    )
    .compile();
}

function columnsOf(row: ExecutionRow): (keyof ExecutionRow)[] {
  return Object.keys(row) as (keyof ExecutionRow)[];
}
