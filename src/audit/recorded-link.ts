import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Link } from './chain.ts';

const rowShape = z.object({ seq: z.number(), hash: z.string() });

/**
 * The last record that the gateway's database knows of. Undefined where there is no database, where it is another
 * user's (whose gateway could not open what we would leave beside it), or where it knows of none.
 */
export async function recordedLink(database: string): Promise<Link | undefined> {
  const found = await stat(database).catch(() => undefined);
  if (found === undefined || found.uid !== process.geteuid?.()) return undefined;
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
