import {
  accessSync,
  type BigIntStats,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Edit } from '../../config/edit-agents.ts';
import { readTextFile } from '../../config/read-text-file.ts';
import { lockDescriptor } from '../../lock.ts';

export interface Edited extends Edit {
  /** Why a person must do it; the file is as it was then. */
  readonly left?: string;
}

/**
 * A gateway that runs takes up a file that was left alone for so long. If an agent is removed and added again, it must see
 * that: the new one gets nothing of the old one.
 */
const standsMs = 1000;

/** Edits a configuration file in one step: at each moment it is as it was, or as it will be. Rejects as `edit` throws. */
export async function editConfig(file: string, edit: (text: string) => Edit): Promise<Edited> {
  // Says it better if it cannot be read.
  readTextFile(file);
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    lockDescriptor(fd, `another command edits ${file}`);
    const found = fstatSync(fd, { bigint: true });
    const age = Date.now() - Number(found.mtimeNs / 1_000_000n);
    if (age >= 0 && age < standsMs) await sleep(standsMs - age);
    const edited = edit(readTextFile(file));
    const left = whyLeft(file, found) ?? replace(file, edited.text, found);
    return left === undefined ? edited : { ...edited, left };
  } finally {
    closeSync(fd);
  }
}

function whyLeft(file: string, { mode, nlink }: BigIntStats): string | undefined {
  if (lstatSync(file).isSymbolicLink()) return 'it is a link';
  if (nlink > 1n) return 'it has another name, too';
  // Root may write it all the same.
  return (mode & 0o222n) === 0n || !isWritable(file) || !isWritable(dirname(file))
    ? 'it is read-only'
    : undefined;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function replace(file: string, text: string | undefined, found: BigIntStats): string | undefined {
  if (text === undefined) return 'it is written in a way that only a person can edit';
  const fresh = `${file}.new`;
  try {
    writeLike(fresh, text, found);
    if (!isSame(lstatSync(file, { bigint: true }), found)) return 'somebody else has just changed it';
    renameSync(fresh, file);
    return undefined;
  } catch (error) {
    return `it cannot be replaced: ${(error as Error).message}`;
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** With the same owner and rights. */
function writeLike(fresh: string, text: string, { mode, uid, gid }: BigIntStats): void {
  // One that an interrupted command left.
  rmSync(fresh, { force: true });
  const fd = openSync(fresh, 'wx', 0o600);
  try {
    chownSync(fresh, Number(uid), Number(gid));
    chmodSync(fresh, Number(mode & 0o7777n));
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function isSame(now: BigIntStats, found: BigIntStats): boolean {
  return now.ino === found.ino && now.mtimeNs === found.mtimeNs && now.size === found.size;
}
