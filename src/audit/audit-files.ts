import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Digits after the name of a file that was put aside: the number of its last record. */
const sequenceDigits = 12;

/** Where the log `file` goes when it is full; `seq` is its last record's. `attempt` counts names that were taken. */
export function rotatedName(file: string, seq: number, attempt = 0): string {
  const name = `${file}.${String(seq).padStart(sequenceDigits, '0')}`;
  return attempt === 0 ? name : `${name}.${attempt}`;
}

/** The parts of the log `file` that were put aside, oldest first. */
export async function rotatedFiles(file: string): Promise<string[]> {
  const names = await readdir(dirname(file));
  const parts = names.flatMap((name) => orderOf(name, basename(file)) ?? []);
  parts.sort((a, b) => a.seq - b.seq || a.attempt - b.attempt);
  return parts.map(({ name }) => join(dirname(file), name));
}

/** All of the log, oldest first. Cut off while a full file was put aside, one file has two names: its last one counts. */
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
