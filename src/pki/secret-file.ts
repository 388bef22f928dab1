import { rm, writeFile } from 'node:fs/promises';

/**
 * Writes a file that only its owner may read, in the place of what has its name: the mode counts for a new file only,
 * and another user's link or file would take what is written. On the disk when it resolves; rejects if somebody makes
 * one of this name meanwhile.
 */
export async function writeSecretFile(file: string, text: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true });
}
