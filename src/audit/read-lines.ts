import { createReadStream } from 'node:fs';

const newline = 0x0a;

/**
 * The lines of a file from an offset on; the last one may have no end. Only a newline ends one: node:readline takes
 * U+2028 for an end, too, which may stand in a record.
 */
export async function* readLines(file: string, start = 0): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of createReadStream(file, { start }) as AsyncIterable<Buffer>) {
    let at = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, at)) {
      begun.push(chunk.subarray(at, end));
      yield Buffer.concat(begun).toString();
      begun = [];
      at = end + 1;
    }
    if (at < chunk.length) begun.push(chunk.subarray(at));
  }
  if (begun.length > 0) yield Buffer.concat(begun).toString();
}
