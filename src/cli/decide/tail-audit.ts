import { type FileHandle, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifiedRecord } from '../../audit/chain.ts';
import { openRegular } from '../../audit/open-regular.ts';
import { readBackwards } from '../../audit/read-backwards.ts';
import { linesFrom } from '../../audit/read-from.ts';
import { printJson } from '../print/output.ts';

const pollMs = 250;
const chunkBytes = 1024 * 1024;

/**
 * Prints the last `count` records of the log. With `follow` it prints new ones too, across rotations, until
 * interrupted.
 */
export async function tailAudit(file: string, count: number, follow: boolean): Promise<void> {
  let handle = await openRegular(file);
  try {
    let end = await printLast(handle, count);
    while (follow) {
      await sleep(pollMs);
      const next = await reopened(file, handle);
      // The renamed file may have received a few last records.
      end = await printFrom(handle, end);
      if (next === undefined) continue;
      await handle.close();
      handle = next;
      end = 0;
    }
  } finally {
    await handle.close();
  }
}

/**
 * Prints the records from number `from` on, through all parts of the log. With `follow` it goes on until interrupted,
 * so that who knows the last number that it has can go on there.
 */
export async function printAuditFrom(file: string, from: number, follow: boolean): Promise<void> {
  for (let next = from; ; await sleep(pollMs)) {
    try {
      for await (const { seq, text } of linesFrom(file, next)) {
        printRecord(text);
        next = Math.max(next, seq + 1);
      }
    } catch (error) {
      // For a moment a full file has its new name only.
      if (next === from || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (!follow) return;
  }
}

/** Undefined while the log is the same file. */
async function reopened(file: string, handle: FileHandle): Promise<FileHandle | undefined> {
  const now = await stat(file).catch(() => undefined);
  const before = await handle.stat();
  if (now === undefined || (now.ino === before.ino && now.dev === before.dev)) return undefined;
  return await openRegular(file).catch(() => undefined);
}

/**
 * A line that is not, byte for byte, a record as a gateway writes it is shown as text, escaped: read as JSON, it may say
 * something else than its text.
 */
function printRecord(line: string): void {
  printJson(verifiedRecord(line) ?? line);
}

/** Resolves with the offset after the last whole line. */
async function printLast(handle: FileHandle, count: number): Promise<number> {
  const lines: string[] = [];
  let end = 0;
  for await (const line of readBackwards(handle)) {
    end ||= line.end;
    if (lines.length === count) break;
    lines.push(line.text);
  }
  for (const line of lines.reverse()) printRecord(line);
  return end;
}

/** The whole lines from `start` on; resolves with the offset after them. */
async function printFrom(handle: FileHandle, start: number): Promise<number> {
  if ((await handle.stat()).size <= start) return start;
  const buffer = Buffer.alloc(chunkBytes);
  let begun = '';
  let end = start;
  for (let at = start; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at);
    if (bytesRead === 0) return end;
    at += bytesRead;
    // Records are in ASCII, so no character is cut in two.
    const lines = (begun + buffer.toString('latin1', 0, bytesRead)).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) printRecord(line);
    end = at - begun.length;
  }
}
