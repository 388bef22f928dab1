import type { FileHandle } from 'node:fs/promises';
import { beginning, type Link, verifiedRecord } from './chain.ts';
import { type LogPart, nameOf, openPart } from './open-regular.ts';
import { type Line, readBackwards } from './read-backwards.ts';

/** The offset after the last whole line of a file. */
export interface End extends Link {
  readonly end: number;
}

/** The last whole record of a file; undefined if it has no record. Ignores an unfinished line after it. */
export async function lastRecord(handle: FileHandle): Promise<End | undefined> {
  for await (const line of readBackwards(handle)) return endOf(line);
  return undefined;
}

function endOf({ text, end }: Line): End {
  const record = verifiedRecord(text);
  if (record === undefined) throw new Error('its last line is no audit record, or one that was changed');
  return { seq: record.seq, hash: record.hash, end };
}

/** One of several files cannot be used; `cause` says why. */
export class PartFault extends Error {
  readonly file: string;

  constructor(file: string, cause: Error) {
    super(`${file}: ${cause.message}`, { cause });
    this.file = file;
  }
}

/** The last record in several files, given oldest first. Throws a `PartFault`. */
export async function lastLink(files: readonly LogPart[]): Promise<Link> {
  for (const file of [...files].reverse()) {
    const last = await lastRecordIn(file).catch((error: Error) => {
      throw new PartFault(nameOf(file), error);
    });
    if (last !== undefined) return { seq: last.seq, hash: last.hash };
  }
  return beginning;
}

async function lastRecordIn(file: LogPart): Promise<End | undefined> {
  await using opened = await openPart(file);
  return await lastRecord(opened.handle);
}

/**
 * The hash of record `seq`; the newest file comes first. Empty if other records are in its place, undefined if the
 * remaining log begins after it.
 */
export async function hashAt(files: readonly LogPart[], seq: number): Promise<string | undefined> {
  for (const file of [...files].reverse()) {
    await using opened = await openPart(file);
    for await (const { text } of readBackwards(opened.handle)) {
      const found = seqOf(text);
      if (found !== undefined && found <= seq) return found === seq ? (verifiedRecord(text)?.hash ?? '') : '';
    }
  }
  return undefined;
}

/** Every record begins with its number, so a long file need not be parsed completely. */
function seqOf(line: string): number | undefined {
  const [, digits] = /^\{"seq":(\d{1,15}),/.exec(line) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
