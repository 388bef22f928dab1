import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';

const writableByOthers = 0o022;
const sticky = 0o1000;

/**
 * The nearest folder above `path`, on the same file system, in which only root can exchange what root makes there;
 * `undefined` if there is none.
 */
export async function rootFolderAbove(path: string): Promise<string | undefined> {
  const { dev } = await lstat(path);
  const above = foldersAbove(path);
  const safe: string[] = [];
  // From `/` down: below a folder that somebody else may change, nothing is safe.
  for (const folder of above) {
    const stats = await lstat(folder);
    const { mode, uid, dev: device } = stats;
    if (!stats.isDirectory() || uid !== 0 || ((mode & writableByOthers) !== 0 && (mode & sticky) === 0))
      break;
    if (device === dev) safe.push(folder);
  }
  return safe.at(-1);
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}
