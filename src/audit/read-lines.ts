import { openRegular } from './open-regular.ts';

const newline = 0x0a;
/** Far longer than any record. If a line is longer, only its beginning is kept, which is not a record. */
const longest = 64 * 1024 * 1024;

export interface TextLine {
  readonly text: string;
  /** Only the last line of a file may lack its newline. */
  readonly isEnded: boolean;
}

/**
 * The lines of a file from an offset on. Only `
 * ` ends a line: node:readline also splits at U+2028, which may stand in a record.
 */
export async function* readLines(file: string, start = 0): AsyncGenerator<TextLine> {
  let begun: Buffer[] = [];
  let bytes = 0;
  const handle = await openRegular(file);
  // Closes it at the end, and if the reader stops before.
  const chunks: AsyncIterable<Buffer> = handle.createReadStream({ start });
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, at)) {
      begun.push(chunk.subarray(at, end));
      yield { text: Buffer.concat(begun).toString(), isEnded: true };
      begun = [];
      bytes = 0;
      at = end + 1;
    }
    if (at === chunk.length || bytes > longest) continue;
    begun.push(chunk.subarray(at));
    bytes += chunk.length - at;
  }
  if (begun.length > 0) yield { text: Buffer.concat(begun).toString(), isEnded: false };
}
