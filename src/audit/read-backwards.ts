import type { FileHandle } from 'node:fs/promises';

export interface Line {
  readonly text: string;
  /** The offset after the end of the line. */
  readonly end: number;
}

const newline = 0x0a;
const stepBytes = 64 * 1024;
/** Far longer than any record: a longer line is not a line of an audit. */
const longest = 64 * 1024 * 1024;

/** The whole lines of a file, the last one first. Ignores bytes after the last newline. */
export async function* readBackwards(handle: FileHandle): AsyncGenerator<Line> {
  let end: number | undefined;
  let behind: Buffer[] = [];
  const { size } = await handle.stat();
  let lineEnd = size;
  for (let at = size; at > 0; ) {
    const from = Math.max(0, at - stepBytes);
    const chunk = await readAt(handle, from, at - from);
    let to = chunk.length;
    for (let found = lastNewline(chunk, to); found !== -1; found = lastNewline(chunk, to)) {
      if (end !== undefined) yield lineOf([chunk.subarray(found + 1, to), ...behind], end);
      behind = [];
      end = from + found + 1;
      lineEnd = end;
      to = found;
    }
    if (end !== undefined) behind.unshift(chunk.subarray(0, to));
    if (lineEnd - from > longest) throw new Error('it has a line of more than 64 MiB');
    at = from;
  }
  if (end !== undefined) yield lineOf(behind, end);
}

function lastNewline(chunk: Buffer, before: number): number {
  return before === 0 ? -1 : chunk.lastIndexOf(newline, before - 1);
}

function lineOf(pieces: readonly Buffer[], end: number): Line {
  return { text: Buffer.concat(pieces).toString(), end };
}

async function readAt(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const chunk = Buffer.alloc(length);
  for (let read = 0; read < length; ) {
    const { bytesRead } = await handle.read(chunk, read, length - read, from + read);
    if (bytesRead === 0) throw new Error('it was cut short while it was read');
    read += bytesRead;
  }
  return chunk;
}
