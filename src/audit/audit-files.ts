import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Digits after the name of a file that was rotated away: the number of its last record. */
const sequenceDigits = 12;

/** Where the log `file` goes when it is full; `seq` is its last record's. */
export function rotatedName(file: string, seq: number): string {
  return `${file}.${String(seq).padStart(sequenceDigits, '0')}`;
}

/** The rotated parts of the log `file`, oldest first. */
export async function rotatedFiles(file: string): Promise<string[]> {
  const names = await readdir(dirname(file));
  const parts = names.filter((name) => isPartOf(name, basename(file)));
  return parts.sort().map((name) => join(dirname(file), name));
}

function isPartOf(name: string, log: string): boolean {
  const digits = name.slice(log.length + 1);
  return name.startsWith(`${log}.`) && digits.length === sequenceDigits && /^\d+$/.test(digits);
}
