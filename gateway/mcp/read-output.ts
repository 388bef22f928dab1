import { cutBack } from '../../src/text/cut-back.ts';
import type { Detached } from '../ports/detached.ts';
import type { Answer } from './answer.ts';
import { type KeptOutput, keptOutput } from './kept-output.ts';
import type { ServerParts } from './server-parts.ts';
import type { WantedPart } from './shapes.ts';
import { unknownId } from './unknown-id.ts';

/** A part of a stream as the agent's copy was: masked. */
export async function readOutput(
  { id, stream, from, max }: WantedPart,
  own: string,
  { detached }: Pick<ServerParts, 'detached'>,
): Promise<Answer> {
  const kept = await keptOf(detached, own, id, stream);
  if (kept === undefined) return unknownId(id);
  const { head, tail, total } = kept.output;
  const piece = tail !== undefined && from >= head.length ? tail : { from: 0, bytes: head };
  const [begin, end] = partOf(piece.bytes, from - piece.from, max);
  const words = [`${stream}, bytes ${piece.from + begin} to ${piece.from + end} of ${total ?? head.length}`];
  if (end < piece.bytes.length) words.push(`read on from ${piece.from + end}`);
  else if (piece.bytes === head && tail !== undefined)
    words.push(`bytes ${head.length} to ${tail.from} are not kept; read on from ${tail.from}`);
  if (total === undefined) words.push('the program wrote more, which is not kept');
  if (!kept.hasEnded) words.push('it has not ended');
  return { text: [`${words.join('; ')}:`, piece.bytes.toString('utf8', begin, end)] };
}

/** At least one byte, so that who reads on comes to the end. */
function partOf(bytes: Buffer, place: number, max: number): readonly [number, number] {
  const begin = Math.min(Math.max(place, 0), bytes.length);
  return [begin, Math.max(cutBack(bytes, begin + max), Math.min(bytes.length, begin + 1))];
}

async function keptOf(
  detached: Detached,
  own: string,
  id: string,
  stream: 'stdout' | 'stderr',
): Promise<{ readonly output: KeptOutput; readonly hasEnded: boolean } | undefined> {
  const underway = detached.underway(own, id);
  if (underway !== undefined) {
    const bytes = underway.behind(stream, 0, underway.kept(stream));
    return { output: keptOutput({ bytes, truncated: false }), hasEnded: false };
  }
  const result = await detached.result(own, id);
  if (result === undefined || result === 'pending') return undefined;
  return { output: keptOutput(result[stream]), hasEnded: true };
}
