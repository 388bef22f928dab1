import { randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, readdir, rename, statfs, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { rotatedFiles, rotatedName } from '../../src/audit/audit-files.ts';
import { LogFile } from './log-file.ts';

const namesAtMost = 100;

/**
 * Makes a new, empty file under the log's name `path`. The old file keeps that name until the new one is open and
 * locked; then the old one gets a name that no file had, for the record `seq`. If any step fails, everything stays as
 * it was.
 */
export async function beginNewFile(path: string, seq: number): Promise<LogFile> {
  await dropSecondNames(path);
  const next = await openUnused((attempt) => nextName(path, attempt));
  let aside: string | undefined;
  try {
    const file = await LogFile.take(path, next.handle);
    aside = await linkAside(path, seq);
    if (aside === undefined) await link(next.name, path);
    else await rename(next.name, path);
    // The first of its two names.
    if (aside === undefined) await unlink(next.name).catch(() => {});
    return file;
  } catch (error) {
    await next.handle.close().catch(() => {});
    await unlink(next.name).catch(() => {});
    if (aside !== undefined) await dropSecondName(path, aside).catch(() => {});
    throw error;
  }
}

/** Rejects if the log's disk has no room for so many bytes. Leaves nothing, also if the gateway is killed. */
export async function findRoom(path: string, bytes: number): Promise<void> {
  const { blocks, bfree, bsize } = await statfs(dirname(path));
  // What little is left is for others who write there.
  if (blocks > 0 && bfree * bsize < bytes)
    throw new Error(`ENOSPC: no space left on device for a record of ${bytes} bytes`);
  const { name, handle } = await openUnused((attempt) => nextName(path, attempt));
  try {
    await unlink(name);
    // Some of the room may be another user's, and a file system may make zeros smaller.
    await handle.writeFile(randomBytes(bytes));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** A new file under the first name that no file has. */
export async function openUnused(
  nameOf: (attempt: number) => string,
): Promise<{ name: string; handle: FileHandle }> {
  for (let attempt = 0; ; attempt += 1) {
    const name = nameOf(attempt);
    try {
      return { name, handle: await open(name, 'wx+', 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === namesAtMost) throw error;
    }
  }
}

function nextName(path: string, attempt: number): string {
  return `${path}.next${attempt === 0 ? '' : `.${attempt}`}`;
}

/** Resolves with the second name of the file at `path`; undefined if there is no file. */
async function linkAside(path: string, seq: number): Promise<string | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    const name = rotatedName(path, seq, attempt);
    try {
      await link(path, name);
      return name;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      if (code !== 'EEXIST' || attempt === namesAtMost) throw error;
    }
  }
}

/** Checked by inode, because `path` may name another file meanwhile. */
async function dropSecondName(path: string, second: string): Promise<void> {
  const [first, other] = [await lstat(path), await lstat(second)];
  if (first.dev === other.dev && first.ino === other.ino) await unlink(second);
}

/** If the old file could not be renamed: removes its second name. */
export async function dropSecondNames(path: string): Promise<void> {
  for (const part of await rotatedFiles(path)) {
    await dropSecondName(path, part).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/** Removes a new file that a killed gateway left: nothing was written to it. */
export async function removeUnused(path: string): Promise<void> {
  const begin = `${basename(path)}.next`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(begin) || !/^(\.\d+)?$/.test(name.slice(begin.length))) continue;
    const file = join(dirname(path), name);
    const found = await lstat(file);
    if (found.isFile() && (found.size === 0 || found.nlink > 1)) await unlink(file);
  }
}
