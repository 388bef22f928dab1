import { principalName } from '../ports/principal.ts';
import type { Answer } from './answer.ts';
import type { ServerParts } from './server-parts.ts';
import { unknownId } from './unknown-id.ts';

/** Ends what its caller started, and nothing else. */
export async function cancelOwn(
  id: string,
  { caller, warden }: Pick<ServerParts, 'caller' | 'warden'>,
): Promise<Answer> {
  const own = principalName(caller);
  const open = warden.running().some((record) => record.id === id && record.caller === own);
  if (!open)
    return (await warden.execution(id, own)) === undefined
      ? unknownId(id)
      : { text: [`state: ended\nid: ${id}\nIt had ended before.`] };
  const record = await warden.cancel(id, caller);
  const state = record?.state === 'ended' ? 'ended' : 'ending';
  return { text: [`state: ${state}\nid: ${id}\nIt is canceled.`] };
}
