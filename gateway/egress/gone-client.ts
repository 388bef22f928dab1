import type { Duplex } from 'node:stream';

export interface Gone extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts when `client` goes away before it has said and heard everything. */
export function goneWith(client: Duplex): Gone {
  const gone = new AbortController();
  const closed = () => {
    const isWhole = client.readableEnded && client.writableFinished && client.errored === null;
    if (!isWhole) gone.abort(new Error('the client went away'));
  };
  // Its `close` follows.
  const ignore = () => {};
  client.once('close', closed);
  client.on('error', ignore);
  return {
    signal: gone.signal,
    [Symbol.dispose]: () => {
      client.off('close', closed);
    },
  };
}
