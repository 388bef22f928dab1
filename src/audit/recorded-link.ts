import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Link } from './chain.ts';

const rowShape = z.object({ seq: z.number(), hash: z.string() });

/** The last record that a database knows, or why there is none to compare with. */
export interface Recorded {
  readonly link: Link | undefined;
  /** Empty if there is one. */
  readonly why: string;
}

const nothing = (why: string): Recorded => ({ link: undefined, why });

/** A database of another user is not opened: that user's gateway could not open the files that we would create beside it. */
export async function recordedLink(database: string): Promise<Recorded> {
  const found = await stat(database).catch(() => undefined);
  if (found === undefined) return nothing('there is no such file');
  if (found.uid !== process.geteuid?.()) return nothing('another user owns it');
  if (!found.isFile()) throw new Error('it is not a regular file');
  const { default: SqliteDatabase } = await import('better-sqlite3');
  const sqlite = new SqliteDatabase(database, { readonly: true, fileMustExist: true });
  try {
    const known = sqlite.prepare("select 1 from sqlite_master where name = 'audit_position'").get();
    const row = known && sqlite.prepare('select seq, hash from audit_position').get();
    return row === undefined ? nothing('it knows no record') : { link: rowShape.parse(row), why: '' };
  } finally {
    sqlite.close();
  }
}
