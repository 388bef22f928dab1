import { cutBack } from '../../src/text/cut-back.ts';
import type { Detached } from '../ports/detached.ts';
import type { Answer } from './answer.ts';
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
  const { bytes, note } = kept;
  const end = Math.max(cutBack(bytes, from + max), Math.min(bytes.length, from + 1));
  const next = end < bytes.length ? `; read on from ${end}` : '';
  const head = `${stream}, bytes ${Math.min(from, bytes.length)} to ${end} of ${bytes.length}${next}${note}:`;
  return { text: [head, bytes.toString('utf8', from, end)] };
}

async function keptOf(
  detached: Detached,
  own: string,
  id: string,
  stream: 'stdout' | 'stderr',
): Promise<{ readonly bytes: Buffer; readonly note: string } | undefined> {
  const underway = detached.underway(own, id);
  if (underway !== undefined) {
    const bytes = underway.behind(stream, 0, underway.kept(stream));
    return { bytes, note: '; it has not ended' };
  }
  const result = await detached.result(own, id);
  if (result === undefined || result === 'pending') return undefined;
  const { bytes, truncated } = result[stream];
  return { bytes, note: truncated ? '; the program wrote more, which is not kept' : '' };
}
