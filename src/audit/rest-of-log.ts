import type { FileHandle } from 'node:fs/promises';
import { type Link, longestLine, verifiedRecord } from './chain.ts';

/** What stands behind the last line of a log. */
export interface Rest extends Link {
  /** Of a record that was not finished; empty if there is nothing of one. */
  readonly unfinished: Buffer;
  /** It is a record, and only its newline is missing. */
  readonly lacksNewline: boolean;
}

/**
 * Reads what stands behind the offset `end`. `last` is the newest record that is before it: in the same file if `end`
 * is not 0. Throws if it is anything but nothing, a record, or the beginning of the next one.
 */
export async function readRest(handle: FileHandle, end: number, last: Link): Promise<Rest> {
  const { seq, hash } = last;
  const length = (await handle.stat()).size - end;
  if (length > longestLine) throw notOurs(end, length);
  const bytes = await readAll(handle, end, length);
  if (bytes.length === 0) return { seq, hash, unfinished: bytes, lacksNewline: false };
  const text = bytes.toString('latin1');
  const whole = verifiedRecord(bytes.toString());
  if (whole !== undefined && whole.seq > seq)
    return { seq: whole.seq, hash: whole.hash, unfinished: Buffer.alloc(0), lacksNewline: true };
  if (!isBeginning(text, seq, end > 0)) throw notOurs(end, length);
  return { seq, hash, unfinished: bytes, lacksNewline: false };
}

/**
 * Of one record behind record `seq`, and of no second one: a log whose line ends somebody took away is no unfinished
 * line. If nothing in the file is ours for sure, the number and the time must be there.
 */
function isBeginning(text: string, seq: number, isBehindOurs: boolean): boolean {
  // No text in a record can hold this: its quotes would be escaped.
  if (text.lastIndexOf('{"seq":') > 0) return false;
  const [, number] = /^\{"seq":(\d{1,15}),"time":"/.exec(text) ?? [];
  if (number !== undefined) return Number(number) > seq;
  return isBehindOurs && `{"seq":${seq + 1},"time":"`.startsWith(text);
}

function notOurs(end: number, length: number): Error {
  if (end === 0) return new Error('it is not empty, and holds no audit record');
  return new Error(`the ${length} bytes after its last record are not the beginning of a record`);
}

async function readAll(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length; ) {
    const { bytesRead } = await handle.read(bytes, read, length - read, from + read);
    if (bytesRead === 0) throw new Error('it was cut short while it was read');
    read += bytesRead;
  }
  return bytes;
}
