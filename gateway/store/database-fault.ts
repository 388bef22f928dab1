import { statSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';

const backup = 'put a backup in its place';
const without =
  'without one, move it away: what agents are paused, which relays are revoked, open questions and the history go with it';

/** By the beginning of SQLite's code. */
const waysOut: readonly (readonly [code: RegExp, way: string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT|FORMAT)/, `${backup}; ${without}`],
  [
    /^SQLITE_(CANTOPEN|PERM|AUTH|READONLY)/,
    "make it, its folder and what is beside it the gateway's user's own",
  ],
  [/^SQLITE_(FULL|IOERR)/, 'make room on its disk, and see whether that is well'],
  [/^SQLITE_(BUSY|LOCKED)/, 'end the other program that has it open'],
];

/**
 * One line for people: the file, what is wrong with it, and what to do. An error that is not the database's stays as
 * it is.
 */
export function databaseFault(file: string, error: unknown): unknown {
  if (error instanceof SqliteDatabase.SqliteError) {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
      return fault(file, 'it is a folder', 'move it away', error);
    const way = waysOut.find(([code]) => code.test(error.code))?.[1] ?? backup;
    return fault(file, `${error.message} (${error.code})`, way, error);
  }
  const isLater = /corrupted migrations/.test((error as Error).message);
  return isLater
    ? fault(file, 'a later version has written it', `start that one, or ${backup}`, error)
    : error;
}

function fault(file: string, why: string, way: string, cause: unknown): Error {
  const text = `the database ${file} cannot be used: ${why}; ${way}`;
  return new Error(text.replaceAll(/\s+/g, ' '), { cause });
}
