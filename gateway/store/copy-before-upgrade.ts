import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type SqliteDatabase from 'better-sqlite3';

/** Beside the database. There is one: of several upgrades the last one's. */
export const copyOf = (file: string): string => `${file}.before-upgrade`;

/** Pages of 4 KiB; between two such parts others have a turn. */
const pagesAtOnce = 5000;

/**
 * Keeps a copy of the database as it is, if `migrations` would change it. Page by page, because the search
 * goes by the numbers of rows. Rejects with a line for people: without a copy there is no upgrade.
 */
export async function copyBeforeUpgrade(
  sqlite: SqliteDatabase.Database,
  file: string,
  migrations: readonly string[],
): Promise<void> {
  if (!isUpgrade(sqlite, migrations)) return;
  const [copy, unfinished] = [copyOf(file), `${copyOf(file)}.unfinished`];
  try {
    await makeEmpty(unfinished);
    await sqlite.backup(unfinished, { progress: () => pagesAtOnce });
    await flush(unfinished);
    await rename(unfinished, copy);
    await flush(dirname(copy));
  } catch (error) {
    // A disk that it filled is needed by the version of before.
    await rm(unfinished, { force: true }).catch(() => undefined);
    const text = `the database ${file} is not upgraded: no copy of it could be made as ${copy}: ${(error as Error).message}; make room there, and let the gateway's user write`;
    throw new Error(text, { cause: error });
  }
}

/** A new database has nothing to keep, and one of a later version is refused. */
function isUpgrade(sqlite: SqliteDatabase.Database, migrations: readonly string[]): boolean {
  const table = sqlite.prepare(
    "select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'",
  );
  if (table.get() === undefined) return false;
  const names = sqlite.prepare<[], { name: string }>('select name from kysely_migration').all();
  const done = new Set(names.map(({ name }) => name));
  const isLater = [...done].some((name) => !migrations.includes(name));
  return done.size > 0 && !isLater && migrations.some((name) => !done.has(name));
}

/** For the gateway's user alone; what an upgrade that was cut off left there goes. */
async function makeEmpty(file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  await handle.close();
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
