import { lstat } from 'node:fs/promises';
import { foldersAbove, isOpenToOthers } from './folders-above.ts';

/**
 * The nearest folder above `path`, on the same file system, in which only root can exchange what root makes there;
 * `undefined` if there is none.
 */
export async function rootFolderAbove(path: string): Promise<string | undefined> {
  const { dev } = await lstat(path);
  const safe: string[] = [];
  // From `/` down: below a folder that somebody else may change, nothing is safe.
  for (const folder of foldersAbove(path)) {
    const stats = await lstat(folder);
    if (!stats.isDirectory() || stats.uid !== 0 || isOpenToOthers(stats)) break;
    if (stats.dev === dev) safe.push(folder);
  }
  return safe.at(-1);
}
