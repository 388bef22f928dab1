import type SqliteDatabase from 'better-sqlite3';
import type { SqliteDatabase as SqliteCompatible } from 'kysely';

const preparedAtMost = 100;

/** Kysely prepares a query for each run, which costs several times the run itself. */
export function preparedOnce(sqlite: SqliteDatabase.Database): SqliteCompatible {
  const prepared = new Map<string, SqliteDatabase.Statement>();
  return {
    close: () => sqlite.close(),
    prepare: (sql) => {
      // A full disk has ended the transaction already: the error to tell is the first one.
      if (sql === 'rollback' && !sqlite.inTransaction) return sqlite.prepare('select 1 where 0');
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      if (prepared.size >= preparedAtMost) prepared.clear();
      const statement = sqlite.prepare(sql);
      prepared.set(sql, statement);
      return statement;
    },
  };
}
