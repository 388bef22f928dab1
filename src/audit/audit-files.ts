import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

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

async function namedLikeParts(file: string): Promise<{ path: string; isRegular: boolean }[]> {
  const names = await readdir(dirname(file));
  const parts = names.flatMap((name) => orderOf(name, basename(file)) ?? []);
  parts.sort((a, b) => a.seq - b.seq || a.attempt - b.attempt);
  const found: { path: string; isRegular: boolean }[] = [];
  for (const { name } of parts) {
    const path = join(dirname(file), name);
    const there = await lstat(path).catch(absent);
    if (there !== undefined) found.push({ path, isRegular: there.isFile() });
  }
  return found;
}

/**
 * All files of the log, oldest first. If the gateway died while it renamed a full file, that file has two names; the
 * last one counts.
 */
export async function auditFiles(file: string): Promise<string[]> {
  const named = new Map<string, string>();
  for (const name of [...(await rotatedFiles(file)), file]) {
    const found = await stat(name).catch(absent);
    if (found === undefined) continue;
    const inode = `${found.dev} ${found.ino}`;
    named.delete(inode);
    named.set(inode, name);
  }
  return [...named.values()];
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
