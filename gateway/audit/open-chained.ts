import { type FileHandle, open } from 'node:fs/promises';
import { rotatedFiles } from '../../src/audit/audit-files.ts';
import { firstLink } from '../../src/audit/chain.ts';
import type { Position } from './chain-lines.ts';

export interface OpenFile {
  readonly handle: FileHandle;
  readonly position: Position;
}

const tailBytes = 4 * 1024 * 1024;

/** Opens a log to go on with its chain, in its newest rotated part where the file itself is empty. */
export async function openChained(file: string): Promise<OpenFile> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const last = await lastRecord(handle);
    await handle.truncate(last.end);
    return { handle, position: last.seq === 0 ? await afterRotated(file) : last };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function afterRotated(file: string): Promise<Position> {
  const newest = (await rotatedFiles(file)).at(-1);
  if (newest === undefined) return { seq: 0, hash: firstLink, end: 0 };
  const handle = await open(newest, 'r');
  try {
    return { ...(await lastRecord(handle)), end: 0 };
  } finally {
    await handle.close();
  }
}

/** The last whole record, and the offset just behind it. A torn line after it is not counted. */
async function lastRecord(handle: FileHandle): Promise<Position> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - tailBytes);
  const tail = Buffer.alloc(size - start);
  await handle.read(tail, 0, tail.length, start);
  const lastNewline = tail.lastIndexOf(0x0a);
  if (lastNewline === -1) {
    if (start > 0) throw new Error('the audit file ends in more than 4 MiB without a line end');
    return { seq: 0, hash: firstLink, end: 0 };
  }
  // The newline before it is looked for behind its own: an offset of -1 would be taken for the end.
  const lineStart = lastNewline === 0 ? 0 : tail.lastIndexOf(0x0a, lastNewline - 1) + 1;
  const line: unknown = JSON.parse(tail.subarray(lineStart, lastNewline).toString());
  if (!isLink(line)) throw new Error('the last line of the audit file is no audit record');
  return { seq: line.seq, hash: line.hash, end: start + lastNewline + 1 };
}

function isLink(line: unknown): line is { seq: number; hash: string } {
  return (
    typeof line === 'object' &&
    line !== null &&
    'seq' in line &&
    typeof line.seq === 'number' &&
    'hash' in line &&
    typeof line.hash === 'string'
  );
}
