import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Link } from './chain.ts';

const rowShape = z.object({ seq: z.number(), hash: z.string() });

/**
 * The last record that the gateway's database knows. Undefined if there is no database, if the database knows no
 * record, or if another user owns it: that user's gateway could not open the files that we would create beside it.
 */
export async function recordedLink(database: string): Promise<Link | undefined> {
  const found = await stat(database).catch(() => undefined);
  if (found === undefined || found.uid !== process.geteuid?.()) return undefined;
  if (!found.isFile()) throw new Error('it is not a regular file');
  const { default: SqliteDatabase } = await import('better-sqlite3');
  const sqlite = new SqliteDatabase(database, { readonly: true, fileMustExist: true });
  try {
    const known = sqlite.prepare("select 1 from sqlite_master where name = 'audit_position'").get();
    const row = known && sqlite.prepare('select seq, hash from audit_position').get();
    return row === undefined ? undefined : rowShape.parse(row);
  } finally {
    sqlite.close();
  }
}
