import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** By path, why it may lead to another folder than it names; empty if it leads to no other. */
export type FindLinks = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const nothing: ReadonlyMap<string, string> = new Map();

/**
 * Looks for links in paths, in one pass at a time. If a file system does not answer within `patienceMs`, the answer is
 * that of the last pass that ended, for a minute at most, and empty after that until this one has ended: what was in
 * order does not end because a machine is slow. A path that was not looked at is absent.
 */
export function createFindLinks(
  look: (path: string) => Promise<string> = findLink,
  patienceMs = 2000,
  countsMs = 60_000,
): FindLinks {
  let pass: Promise<ReadonlyMap<string, string>> | undefined;
  let last = { found: nothing, at: 0 };
  const lookAt = async (paths: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const path of paths) found.set(path, await look(path));
    last = { found, at: performance.now() };
    return found;
  };
  const lastNow = () => (performance.now() - last.at < countsMs ? last.found : nothing);
  return async (paths) => {
    pass ??= lookAt(paths).finally(() => {
      pass = undefined;
    });
    const over = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: over.signal, ref: false });
    late.catch(() => {});
    return (await Promise.race([pass, late]).finally(() => over.abort())) ?? lastNow();
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
