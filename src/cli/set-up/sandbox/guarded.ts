import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseSandbox } from './refuse-sandbox.ts';

/**
 * What programs of this machine run, or are told by to run something, when somebody works in the workspace later.
 * `commondir` sends git elsewhere for its configuration and its hooks, and `config.worktree` is more of it.
 * Without a `.git` that it takes for a repository, git takes the folder itself for one if it has a `HEAD`.
 */
export const guardedNames: readonly string[] = [
  ...['.git/hooks', '.git/config', '.git/config.worktree', '.git/commondir', 'HEAD'],
  ...['.envrc', '.vscode', '.idea', '.mcp.json'],
];

/** Of a workspace that is a repository itself, because it has a `HEAD`. */
export const bareNames: readonly string[] = ['hooks', 'config', 'config.worktree', 'commondir'];

/** Those of `guardedNames`, and of a workspace with a `HEAD` those of `bareNames`, but for the `writable` ones. */
export async function guardedIn(root: string, writable: readonly string[]): Promise<readonly string[]> {
  const isRepository = (await look(join(root, 'HEAD'))) !== undefined;
  return [...guardedNames, ...(isRepository ? bareNames : [])].filter((name) => !writable.includes(name));
}

/** A file or a folder as it was looked at: `DEVICE:INODE`. */
export interface Guard {
  /** Below the workspace. */
  readonly name: string;
  readonly id: string;
}

export interface Guards {
  /** Read-only inside. */
  readonly there: readonly Guard[];
  /** Folders between them and the workspace, which cannot be renamed away while they are mounts. */
  readonly folders: readonly Guard[];
  /** Nothing is there now; what appears is taken away at the end. */
  readonly absent: readonly string[];
}

const mostEntries = 10_000;

/** Throws a line with the name of what cannot be guarded. */
export async function lookAtGuarded(root: string, names: readonly string[]): Promise<Guards> {
  const there = new Map<string, Guard>();
  const folders = new Map<string, Guard>();
  const absent: string[] = [];
  for (const name of names) {
    const found = await lookAt(root, name);
    for (const folder of found.folders) folders.set(folder.name, folder);
    if (found.guard === undefined) absent.push(name);
    else there.set(found.guard.name, found.guard);
  }
  return { there: [...there.values()], folders: [...folders.values()], absent };
}

interface Found {
  readonly folders: readonly Guard[];
  /** The thing itself; or a file in place of one of its folders, as `.git` is in a worktree of git. */
  readonly guard?: Guard;
}

async function lookAt(root: string, name: string): Promise<Found> {
  const folders: Guard[] = [];
  for (const path of pathsTo(name)) {
    const found = await look(join(root, path));
    if (found === undefined) return { folders };
    const guard = { name: path, id: idOf(found) };
    if (path !== name && found.isDirectory()) {
      folders.push(guard);
      continue;
    }
    await checkPlain(root, path, found);
    return { folders, guard };
  }
  return { folders };
}

/** `.git/hooks`: `.git`, and `.git/hooks`. */
export function pathsTo(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

export function idOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** Of the entry itself; `undefined` if there is none. */
export async function look(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** A mount covers one name: by another name of the same file it could be written all the same. */
async function checkPlain(root: string, name: string, found: BigIntStats): Promise<void> {
  if (found.isDirectory()) return await checkFolder(root, name);
  if (!found.isFile()) throw unguarded(name, 'is no file and no folder', `make it one`);
  if (found.nlink > 1n) throw unguarded(name, `has ${found.nlink} hard links`, `copy it over itself`);
}

async function checkFolder(root: string, name: string): Promise<void> {
  let count = 0;
  for await (const entry of await opendir(join(root, name), { recursive: true })) {
    count += 1;
    if (count > mostEntries) throw unguarded(name, `has more than ${mostEntries} entries`, 'remove some');
    const found = entry.isFile() ? await look(join(entry.parentPath, entry.name)) : undefined;
    if (found !== undefined && found.nlink > 1n)
      throw unguarded(
        name,
        `holds ${entry.name}, which has ${found.nlink} hard links`,
        'copy it over itself',
      );
  }
}

function unguarded(name: string, why: string, mend: string) {
  return refuseSandbox(
    `${name} of the workspace ${why}, so it cannot be made read-only`,
    `${mend}, or let it be written: --writable ${[...guardedNames, ...bareNames].find((each) => each.startsWith(name)) ?? name}`,
  );
}
