import type { NextPiece } from '../next-piece.ts';
import { cutsOf, isCostly } from './costly-json.ts';
import { EngineBroke } from './engine-broke.ts';

/** What is shorter costs a millisecond at most. */
const smallBytes = 8 * 1024;
/** Some ten milliseconds, whatever these bytes are, if they are not costly. */
const atOnceBytes = 256 * 1024;
/** What an engine says of one thing is no longer in a list. */
const mostOfItem = 1024 * 1024;
const openArray = 0x5b;
const noEngine = 'its engine answers with JSON that no engine makes';

/**
 * What an engine answers: what is long has a piece of its own, and a long list one for each part. Throws EngineBroke,
 * and a SyntaxError if it is no JSON.
 */
export async function parseJson(json: Buffer, nextPiece: NextPiece): Promise<unknown> {
  if (json.length > smallBytes) await nextPiece();
  if (isCostly(json)) throw new EngineBroke(noEngine);
  if (json.length <= atOnceBytes || json[0] !== openArray) return JSON.parse(json.toString());
  await nextPiece();
  const parts: unknown[][] = [];
  const cuts = cutsOf(json, atOnceBytes);
  if (cuts === undefined) throw new EngineBroke(noEngine);
  let start = 1;
  for (const end of [...cuts, json.length]) {
    if (end - start > atOnceBytes + mostOfItem) throw new EngineBroke(noEngine);
    await nextPiece();
    const text = json.toString('utf8', start, end);
    // The last part has the end of the list, and whatever stands behind it.
    parts.push(JSON.parse(end === json.length ? `[${text}` : `[${text}]`) as unknown[]);
    start = end + 1;
  }
  return parts.flat();
}
