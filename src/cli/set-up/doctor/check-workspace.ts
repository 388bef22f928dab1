import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { normalize } from 'node:path';
import { doubtful, type Finding, messageOf } from './finding.ts';
import { foldersAbove, isOpenToOthers } from './folders-above.ts';

const missing: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/**
 * Whether another user could replace the folder of a workspace that is bound by its path: the next ghost would get
 * the replacement. At most one finding, for the outermost such place. No finding if this machine has no such folder.
 */
export async function checkWorkspace(check: string, workspace: string): Promise<Finding[]> {
  const path = normalize(workspace).replace(/(?<=.)\/$/, '');
  try {
    const { uid: owner } = await stat(path).catch(() => ({ uid: 0 }));
    for (const place of [...foldersAbove(path), path]) {
      const problem = problemOf(place, await lstat(place), path, owner);
      if (problem !== undefined) return [doubtful(check, problem.text, problem.fix)];
    }
    return [];
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code)) return [];
    return [
      doubtful(check, `workspace ${path}: ${messageOf(error)}`, 'run doctor as a user who may look there'),
    ];
  }
}

interface Problem {
  readonly text: string;
  readonly fix: string;
}

function problemOf(place: string, stats: Stats, path: string, owner: number): Problem | undefined {
  const is = place === path ? `workspace ${path} is` : `workspace ${path} is below ${place}, which is`;
  if (stats.isSymbolicLink())
    return {
      text: `${is} a symbolic link: a user who changes it chooses what is mounted`,
      fix: `name the folder itself: readlink -f ${path}`,
    };
  // The agent may write the workspace itself; the folders above it decide which folder it is.
  if (place === path) return undefined;
  if (isOpenToOthers(stats))
    return {
      text: `${is} writable by others: they can put another in its place`,
      fix: `chmod go-w ${place}`,
    };
  if (stats.uid !== 0 && stats.uid !== owner)
    return {
      text: `${is} of another user (${stats.uid}), who can put another in its place`,
      fix: `chown root ${place}`,
    };
  return undefined;
}
