import { rm, writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { refusalPath } from '../../../src/config/refusal-path.ts';

/** Keeps for `doctor` why this relay serves nothing for its gateway; an empty text: it serves. Never rejects. */
export type NoteRefusal = (why: string) => Promise<void>;

export function createRefusalNote(state: string, log: Pick<Logger, 'warn'>): NoteRefusal {
  const file = refusalPath(state);
  let noted: string | undefined;
  return async (why) => {
    if (why === noted) return;
    noted = why;
    const written = why === '' ? rm(file, { force: true }) : writeFile(file, `${why}\n`, { mode: 0o600 });
    await written.catch((error: Error) => log.warn({ file, why: error.message }, 'the note was not written'));
  };
}
