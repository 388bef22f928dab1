import { setImmediate as turn } from 'node:timers/promises';
import { isCostly } from '../../../src/container/costly-json.ts';
import { EngineBroke } from '../../../src/container/engine-broke.ts';

/** An event of an engine has some kilobytes, or tens of them if its image has labels of that size. */
const maxLineBytes = 256 * 1024;
/** Of one stream in a turn of the event loop: some milliseconds, whatever they are. A line costs as much as 64 bytes. */
const [atOnceBytes, lineCosts] = [16 * 1024, 64];
const newline = 0x0a;
const none = Buffer.alloc(0);

/** The JSON values of a stream, each ended by a newline. Throws EngineBroke if a line is not as engines make them. */
export async function* jsonLines(stream: AsyncIterable<Buffer>): AsyncGenerator {
  let [rest, taken] = [none, 0];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([rest, chunk.subarray(start, end)]);
      [rest, start] = [none, end + 1];
      taken += line.length + lineCosts;
      if (taken > atOnceBytes) {
        await turn();
        taken = line.length + lineCosts;
      }
      const value = parseLine(line);
      if (value !== undefined) yield value;
    }
    rest = Buffer.concat([rest, chunk.subarray(start)]);
    checkLength(rest);
  }
}

/** `undefined` for an empty one. */
function parseLine(line: Buffer): unknown {
  checkLength(line);
  if (isCostly(line)) throw new EngineBroke('its engine sends a line of JSON that no engine makes');
  const text = line.toString();
  return text.trim() === '' ? undefined : JSON.parse(text);
}

function checkLength({ length }: Buffer): void {
  if (length > maxLineBytes) throw new EngineBroke('its engine sends a line that is longer than 256 KiB');
}
