import type { Duplex } from 'node:stream';
import { onAbort } from '../../src/abort.ts';

export interface Gone extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts when `client` goes away before it has said and heard everything, and with `outer`. */
export function goneWith(client: Duplex, outer: AbortSignal): Gone {
  const over = new AbortController();
  const closed = () => {
    const isWhole = client.readableEnded && client.writableFinished && client.errored === null;
    if (!isWhole) over.abort(new Error('the client went away'));
  };
  const ending = onAbort(outer, () => over.abort(outer.reason));
  // Its `close` follows.
  const ignore = () => {};
  client.once('close', closed);
  client.on('error', ignore);
  return {
    signal: over.signal,
    [Symbol.dispose]: () => {
      client.off('close', closed);
      ending[Symbol.dispose]();
    },
  };
}
