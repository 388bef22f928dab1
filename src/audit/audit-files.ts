import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type LogPart, nameOf, openRegular } from './open-regular.ts';

/** Digits after the name of a full file that was renamed: the number of its last record. */
const sequenceDigits = 12;

/**
 * The new name of the log `file` when it is full; `seq` is the number of its last record. `attempt` counts names that
 * were taken.
 */
export function rotatedName(file: string, seq: number, attempt = 0): string {
  const name = `${file}.${String(seq).padStart(sequenceDigits, '0')}`;
  return attempt === 0 ? name : `${name}.${attempt}`;
}

/** The renamed parts of the log `file`, oldest first. What is no regular file is no part, whatever its name. */
export async function rotatedFiles(file: string): Promise<string[]> {
  return (await namedLikeParts(file)).filter(({ isRegular }) => isRegular).map(({ path }) => path);
}

/** The number of the last record of a renamed part, as its name says. */
export function lastOfPart(part: string, file: string): number {
  return orderOf(basename(part), basename(file))?.seq ?? 0;
}

/** What stands beside the log `file` under the name of a part, and is no part: a FIFO, a folder, a link. */
export async function strayParts(file: string): Promise<string[]> {
  return (await namedLikeParts(file)).filter(({ isRegular }) => !isRegular).map(({ path }) => path);
}

/**
 * What stands beside the log `file` under a name that begins like its parts' and is not one of ours: a renamed part is
 * not read.
 */
export async function unreadNames(file: string): Promise<string[]> {
  const [folder, log] = [dirname(file), basename(file)];
  const isUnread = (name: string) =>
    name.startsWith(`${log}.`) && orderOf(name, log) === undefined && !besideLog.test(name.slice(log.length));
  return (await readdir(folder)).filter(isUnread).map((name) => join(folder, name));
}

/** What a gateway keeps there: the beginning of a record that was not finished, and a file that it begins. */
const besideLog = /^\.(?:cut\.\d+|next)(?:\.\d+)?$/;

interface NamedFile {
  readonly path: string;
  readonly isRegular: boolean;
  readonly inode: string;
}

async function namedLikeParts(file: string): Promise<NamedFile[]> {
  const names = await readdir(dirname(file));
  const parts = names.flatMap((name) => orderOf(name, basename(file)) ?? []);
  parts.sort((a, b) => a.seq - b.seq || a.attempt - b.attempt);
  const found: NamedFile[] = [];
  for (const { name } of parts) {
    const path = join(dirname(file), name);
    const there = await lstat(path).catch(absent);
    if (there !== undefined) found.push({ path, isRegular: there.isFile(), inode: inodeOf(there) });
  }
  return found;
}

function inodeOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev} ${ino}`;
}

/** All files of the log, oldest first, as they are named now. */
export async function auditFiles(file: string): Promise<string[]> {
  await using log = await openAudit(file);
  return log.parts.map(nameOf);
}

export interface OpenAudit extends AsyncDisposable {
  /** Oldest first. */
  readonly parts: readonly LogPart[];
}

/**
 * All files of a log that a gateway may write. The newest one is open, because a rotation gives its name to another
 * file; parts keep theirs. If the gateway died while it renamed a full file, that file has two names; the last one
 * counts.
 */
export async function openAudit(file: string, attempts = 3): Promise<OpenAudit> {
  // First: if it is renamed before the parts are listed, it is among them.
  const handle = await openRegular(file).catch(absent);
  const close = async () => await handle?.close();
  try {
    const named = await partsByInode(file);
    const isRenamed = handle !== undefined && named.delete(inodeOf(await handle.stat()));
    if (!isRenamed || attempts === 1) {
      const newest = handle === undefined ? [] : [{ name: file, handle }];
      return { parts: [...named.values(), ...newest], [Symbol.asyncDispose]: close };
    }
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  // There may be a part behind it by now.
  return openAudit(file, attempts - 1);
}

async function partsByInode(file: string): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  for (const { path, isRegular, inode } of await namedLikeParts(file)) {
    if (!isRegular) continue;
    named.delete(inode);
    named.set(inode, path);
  }
  return named;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

interface Part {
  readonly name: string;
  readonly seq: number;
  readonly attempt: number;
}

function orderOf(name: string, log: string): Part | undefined {
  if (!name.startsWith(`${log}.`)) return undefined;
  const [, seq, attempt = '0'] = /^(\d{12})(?:\.(\d{1,3}))?$/.exec(name.slice(log.length + 1)) ?? [];
  return seq === undefined ? undefined : { name, seq: Number(seq), attempt: Number(attempt) };
}
