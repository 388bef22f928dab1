import type { FileHandle } from 'node:fs/promises';
import { type LogPart, openPart } from './open-regular.ts';

const newline = 0x0a;
const stepBytes = 64 * 1024;
/** Far longer than any record. If a line is longer, only its beginning is kept, which is not a record. */
const longest = 64 * 1024 * 1024;

export interface TextLine {
  readonly text: string;
  /** The offset of its first byte. */
  readonly at: number;
  /** Only the last line of a file may lack its newline. */
  readonly isEnded: boolean;
}

/**
 * The lines of a file from an offset on. Only `\n` ends a line: node:readline also splits at U+2028, which may stand in
 * a record.
 */
export async function* readLines(part: LogPart, start = 0): AsyncGenerator<TextLine> {
  await using opened = await openPart(part);
  let begun: Buffer[] = [];
  let bytes = 0;
  let [offset, lineAt] = [start, start];
  for await (const chunk of chunksOf(opened.handle, start)) {
    let at = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, at)) {
      begun.push(chunk.subarray(at, end));
      yield { text: Buffer.concat(begun).toString(), at: lineAt, isEnded: true };
      begun = [];
      bytes = 0;
      at = end + 1;
      lineAt = offset + at;
    }
    offset += chunk.length;
    if (at === chunk.length || bytes > longest) continue;
    begun.push(chunk.subarray(at));
    bytes += chunk.length - at;
  }
  if (begun.length > 0) yield { text: Buffer.concat(begun).toString(), at: lineAt, isEnded: false };
}

async function* chunksOf(handle: FileHandle, start: number): AsyncGenerator<Buffer> {
  for (let at = start; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(stepBytes), 0, stepBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
