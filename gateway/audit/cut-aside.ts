import type { FileHandle } from 'node:fs/promises';
import { syncFolder } from './log-file.ts';
import { openUnused } from './new-file.ts';

/** The part of a log that must go: everything after `end`. */
export interface Unfinished {
  readonly end: number;
  readonly bytes: Buffer;
}

/**
 * Copies the unfinished end of the log `path` to a file of its own, and then cuts it off. Resolves with that file's
 * name.
 */
export async function cutAside(path: string, log: FileHandle, { end, bytes }: Unfinished): Promise<string> {
  const aside = await openUnused((attempt) => `${path}.cut.${end}${attempt === 0 ? '' : `.${attempt}`}`);
  try {
    await aside.handle.writeFile(bytes);
    await aside.handle.sync();
  } finally {
    await aside.handle.close();
  }
  await syncFolder(path);
  await log.truncate(end);
  return aside.name;
}
