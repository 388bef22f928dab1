import type { EventEmitter } from 'node:events';

/** Aborts when the caller takes no answer any more. */
export function whenCanceled(call: Pick<EventEmitter, 'once'>): AbortSignal {
  const gone = new AbortController();
  call.once('cancelled', () => gone.abort());
  return gone.signal;
}
