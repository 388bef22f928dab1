import { open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { printJson } from './output.ts';

const pollMs = 250;
const chunkBytes = 64 * 1024;
const maxTailBytes = 64 * 1024 * 1024;

/** Prints the last `count` records of the log, and with `follow` what comes, over rotations, until interrupted. */
export async function tailAudit(file: string, count: number, follow: boolean): Promise<void> {
  const last = await lastLines(file, count);
  let { end, inode } = last;
  for (const line of last.lines) printRecord(line);
  while (follow) {
    await sleep(pollMs);
    const now = await stat(file).catch(() => undefined);
    if (now === undefined) continue;
    if (now.ino !== inode) {
      inode = now.ino;
      end = 0;
    }
    const read = await linesFrom(file, end);
    for (const line of read.lines) printRecord(line);
    end = read.end;
  }
}

/** Escaped again: agents wrote parts of it. */
function printRecord(line: string): void {
  printJson(JSON.parse(line));
}

async function lastLines(
  file: string,
  count: number,
): Promise<{ lines: string[]; end: number; inode: number }> {
  const { size, ino } = await stat(file);
  let start = size;
  let read = { lines: [] as string[], end: size };
  while (start > 0 && read.lines.length <= count && size - start < maxTailBytes) {
    start = Math.max(0, start - chunkBytes);
    read = await linesFrom(file, start);
  }
  // Begun in the middle, the first line may be a part of one.
  const whole = start === 0 ? read.lines : read.lines.slice(1);
  return { lines: count === 0 ? [] : whole.slice(-count), end: read.end, inode: ino };
}

/** The whole lines from `start` on, and the offset behind them. */
async function linesFrom(file: string, start: number): Promise<{ lines: string[]; end: number }> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(Math.max(0, size - start), maxTailBytes));
    await handle.read(bytes, 0, bytes.length, start);
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    const lines = whole.toString().split('\n').slice(0, -1);
    return { lines, end: start + whole.length };
  } finally {
    await handle.close();
  }
}
