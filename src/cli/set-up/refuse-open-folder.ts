import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { CliError } from '../reach/cli-error.ts';
import { foldersAbove, isOpenToOthers } from './doctor/folders-above.ts';

/**
 * Throws a CliError if others can put a key or settings in the place of what goes to `folder`, whether it exists or
 * not. Above it a folder like /tmp, where each keeps its own, counts as closed.
 */
export async function refuseOpenFolder(what: string, folder: string): Promise<void> {
  const real = await realpath(folder).catch(() => folder);
  for (const place of new Set([folder, real].flatMap((each) => [...foldersAbove(each), each]))) {
    const stats = await stat(place).catch(() => undefined);
    const isItself = place === folder || place === real;
    if (stats === undefined || !isWritable(stats) || !(isItself || isOpenToOthers(stats))) continue;
    const is = isItself ? 'is' : `is below ${place}, which is`;
    throw new CliError(
      what,
      `${folder} ${is} writable by others: they can put another key in the place of yours`,
      `chmod go-w ${place}, or name another folder`,
    );
  }
}

/** The group of a user's own name is nobody else's, and where users have one their folders are its. */
function isWritable({ mode, uid, gid }: Stats): boolean {
  return (mode & (uid === gid ? 0o002 : 0o022)) !== 0;
}
