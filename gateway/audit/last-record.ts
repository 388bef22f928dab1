import type { FileHandle } from 'node:fs/promises';
import { firstLink } from './chain.ts';

const tailBytes = 4 * 1024 * 1024;

/** Where the chain stands: the last whole record, and the offset just behind it. A torn line after it is not counted. */
export async function lastRecord(handle: FileHandle): Promise<{ seq: number; hash: string; end: number }> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - tailBytes);
  const tail = Buffer.alloc(size - start);
  await handle.read(tail, 0, tail.length, start);
  const lastNewline = tail.lastIndexOf(0x0a);
  if (lastNewline === -1) {
    if (start > 0) throw new Error('the audit file ends in more than 4 MiB without a line end');
    return { seq: 0, hash: firstLink, end: 0 };
  }
  const lineStart = tail.lastIndexOf(0x0a, lastNewline - 1) + 1;
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
