import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why nobody can be sure which folder a path names; the text is empty if it names itself. */
export type FindLinks = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/**
 * Looks for links in paths. A file system that does not answer holds one look, not all: it is left behind after
 * `patienceMs`, nothing else looks until it is over, and a path that was not looked at is absent from the answer.
 */
export function createFindLinks(
  look: (path: string) => Promise<string> = findLink,
  patienceMs = 2000,
): FindLinks {
  let pass: Promise<ReadonlyMap<string, string>> | undefined;
  const lookAt = async (paths: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const path of paths) found.set(path, await look(path));
    return found;
  };
  return async (paths) => {
    pass ??= lookAt(paths).finally(() => {
      pass = undefined;
    });
    const over = new AbortController();
    const late = sleep(patienceMs, new Map<string, string>(), { signal: over.signal, ref: false });
    late.catch(() => {});
    return await Promise.race([pass, late]).finally(() => over.abort());
  };
}

/** What is checked must be what is used: who may write the folder of a link chooses where it leads. */
async function findLink(path: string): Promise<string> {
  try {
    for (let at = path; at !== '/'; at = dirname(at)) if (await isLink(at)) return `${at} is a link`;
    return '';
  } catch (error) {
    return `it cannot be looked at: ${(error as Error).message}`;
  }
}

/** What is not there is no link. */
async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
