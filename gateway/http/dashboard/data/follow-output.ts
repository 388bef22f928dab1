import type { Client } from '../../../../src/http-api/client.ts';
import type { FollowEvent } from '../../../../src/http-api/follow.ts';
import type { Screen } from '../parts/terminal.tsx';
import { takeFollowPlace } from './follow-places.ts';

export type Followed = 'over' | 'taken';

/**
 * Shows what a running command writes, until it has ended or another page takes its place. Rejects if the gateway
 * refuses it or is lost.
 */
export async function followOutput(
  client: Client,
  id: string,
  screen: Screen,
  signal: AbortSignal,
): Promise<Followed> {
  const taken = await takeFollowPlace(signal);
  const either = AbortSignal.any([signal, taken]);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  screen.clear();
  try {
    for await (const event of client.follow(id, {}, { signal: either })) {
      if (event.type === 'gap') screen.gap(`${event.bytes} bytes left out here`);
      if (event.type === 'end') throw new Error(event.reason);
      if (event.type !== 'stdout' && event.type !== 'stderr') continue;
      const text = decoders[event.type].decode(bytesOf(event), { stream: true });
      await screen.write(text, event.type === 'stdout' ? 1 : 2);
    }
    return 'over';
  } catch (error) {
    if (taken.aborted && !signal.aborted) return 'taken';
    throw error;
  }
}

function bytesOf({ data, encoding }: Extract<FollowEvent, { type: 'stdout' | 'stderr' }>): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(data);
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}
