import type { FileHandle } from 'node:fs/promises';
import { lastOfPart, openAudit, rotatedFiles } from './audit-files.ts';
import { longestLine } from './chain.ts';
import { lastLink } from './last-link.ts';
import { openRegular } from './open-regular.ts';

/** One whole line of a log, whether or not it is a record. */
export interface LogLine {
  /** As the line begins; 0 if it does not begin as a record does. */
  readonly seq: number;
  /** Of a line that is longer than any record, only the beginning. */
  readonly text: string;
}

const newline = 0x0a;
const stepBytes = 64 * 1024;
const mostKept = 4 * longestLine;
/** So far halving looks for a record among other lines. */
const farBytes = 4 * longestLine;
/** Far longer than any record: a longer line is not a line of an audit. */
const longest = 64 * 1024 * 1024;

/**
 * The lines of the log `file` from record `from` on, through its rotated parts, oldest first. It finds the place by
 * halving: what is before it is not read. Ignores bytes after the last newline.
 */
export async function* linesFrom(file: string, from: number): AsyncGenerator<LogLine> {
  // Before the parts are listed: if it is renamed meanwhile, it is there under its new name, too.
  const newest = await openRegular(file);
  try {
    for (const part of await rotatedFiles(file)) {
      if (lastOfPart(part, file) >= from) yield* linesOfPart(part, newest, from);
    }
    yield* linesIn(newest, from);
  } finally {
    await newest.close();
  }
}

/** The same, or, if `from` is undefined, the last `count` records and what came behind them meanwhile. */
export async function* linesOfAudit(
  file: string,
  from: number | undefined,
  count: number,
): AsyncGenerator<LogLine> {
  yield* linesFrom(file, from ?? (await firstOfLast(file, count)));
}

async function firstOfLast(file: string, count: number): Promise<number> {
  await using log = await openAudit(file);
  const { seq } = await lastLink(log.parts);
  return Math.max(1, seq - count + 1);
}

async function* linesOfPart(part: string, newest: FileHandle, from: number): AsyncGenerator<LogLine> {
  const handle = await openRegular(part).catch(absent);
  if (handle === undefined) return;
  try {
    if (!(await isSame(handle, newest))) yield* linesIn(handle, from);
  } finally {
    await handle.close();
  }
}

/** Moved away since it was listed. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

async function isSame(one: FileHandle, other: FileHandle): Promise<boolean> {
  const [a, b] = [await one.stat(), await other.stat()];
  return a.dev === b.dev && a.ino === b.ino;
}

async function* linesIn(handle: FileHandle, from: number): AsyncGenerator<LogLine> {
  let begun = false;
  for await (const line of wholeLines(handle, await placeOf(handle, from))) {
    begun ||= line.seq >= from;
    if (begun) yield line;
  }
}

/** Where a line begins: every record before it is an earlier one. */
async function placeOf(handle: FileHandle, from: number): Promise<number> {
  let [low, high] = [0, (await handle.stat()).size];
  while (high - low > stepBytes) {
    const middle = low + Math.floor((high - low) / 2);
    const found = await recordBehind(handle, middle, high);
    if (found === undefined || found.seq >= from) high = middle;
    else low = found.at;
  }
  return low;
}

/** The first line that begins behind `start` and before `end` as a record does; it does not look far. */
async function recordBehind(handle: FileHandle, start: number, end: number): Promise<PlacedLine | undefined> {
  for await (const line of wholeLines(handle, start)) {
    if (line.at >= Math.min(end, start + farBytes)) return undefined;
    // The first one is the rest of a line.
    if (line.at > start && line.seq > 0) return line;
  }
  return undefined;
}

interface PlacedLine extends LogLine {
  /** The offset of its first byte. */
  readonly at: number;
}

async function* wholeLines(handle: FileHandle, start: number): AsyncGenerator<PlacedLine> {
  let begun: Buffer[] = [];
  for (let [offset, at] = [start, start]; ; ) {
    const chunk = await readAt(handle, offset);
    if (chunk.length === 0) return;
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const text = Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      yield { at, seq: seqOf(text), text };
      [begun, from] = [[], end + 1];
      at = offset + from;
    }
    offset += chunk.length;
    if (offset - at > longest) throw new Error('it has a line of more than 64 MiB');
    if (offset - at < mostKept) begun.push(chunk.subarray(from));
  }
}

async function readAt(handle: FileHandle, at: number): Promise<Buffer> {
  const chunk = Buffer.alloc(stepBytes);
  const { bytesRead } = await handle.read(chunk, 0, stepBytes, at);
  return chunk.subarray(0, bytesRead);
}

/** Every record begins with its number. */
function seqOf(text: string): number {
  const [, digits = '0'] = /^\{"seq":(\d{1,15}),/.exec(text) ?? [];
  return Number(digits);
}
