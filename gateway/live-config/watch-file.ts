import { setTimeout as sleep } from 'node:timers/promises';
import { readTextFile } from '../../src/config/read-text-file.ts';
import type { Faults } from '../../src/faults.ts';
import { fileStamp } from './file-stamp.ts';

/** What a file holds, or why it cannot be read. */
export type Found = { readonly text: string } | { readonly fault: string };

/** Resolves with false if it has to be called with the same again, after a second. */
export type Take = (found: Found) => boolean | Promise<boolean>;

const lookEveryMs = 250;
const againMs = 1000;

/**
 * Calls `take` with what the file holds, first with what it holds now, then each time that it was written or replaced
 * and has been left alone for a quarter of a second, until `signal` aborts. One call ends before the next. The file
 * itself is looked at: the kernel tells of a folder only, and the gateway's own writes are in the same one.
 */
export async function watchFile(
  file: string,
  take: Take,
  faults: Pick<Faults, 'report'>,
  signal: AbortSignal,
): Promise<void> {
  const look = createLook(file, take);
  while (await waits(signal)) await look().catch((error) => faults.report(`watching ${file}`, error));
}

/** What is to be called every now and then, of one file. */
export function createLook(file: string, take: Take): () => Promise<void> {
  let [seen, taken] = ['', ''];
  let againAt = Number.POSITIVE_INFINITY;
  return async () => {
    const [before, stamp] = [seen, fileStamp(file)];
    seen = stamp;
    if (stamp !== before || (stamp === taken && performance.now() < againAt)) return;
    const found = readFound(file);
    // It was written while it was read.
    if (fileStamp(file) !== stamp) return;
    taken = stamp;
    againAt = Number.POSITIVE_INFINITY;
    if (!(await take(found))) againAt = performance.now() + againMs;
  };
}

export function readFound(file: string): Found {
  try {
    return { text: readTextFile(file) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** Until the next look; false when the signal has aborted. */
export async function waits(signal: AbortSignal): Promise<boolean> {
  return sleep(lookEveryMs, true, { signal, ref: false }).catch(() => false);
}
