import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { keyedBuckets } from '../../src/keyed-buckets.ts';
import { recordsPerSecond } from '../../src/tls/tls-records.ts';
import { tokenBucket } from '../../src/token-bucket.ts';
import { onArrival } from '../connections/on-arrival.ts';

export interface ContentRatesParts {
  /** Connections with the same key have one rate. */
  readonly keyOf: (raw: Socket) => string;
  /** Whether the connection has shown who uses it. */
  readonly isProven: (raw: Socket) => boolean;
  readonly onFlood: (raw: Socket) => void;
}

const mostKeys = 4096;
/** Of those that have not shown who they are; twice as many at once. */
const strangersPerSecond = 250;
/** What each of their connections has besides: a first request is one or two. A crowd behind one address is served. */
const firstRecords = 8;
/** A record with so many bytes is one of a body, and costs who is known nothing. */
const ordinaryBytes = 1024;
/** What a stranger pays for it: who it is may become known while the body of the first request comes. */
const ordinaryShare = 1 / 8;

/**
 * Counts the content of records while it is read: Node reads up to 2 MiB of a connection in one turn. Call it for each
 * TLS socket behind the server's own listeners.
 */
export function contentRates({
  keyOf,
  isProven,
  onFlood,
}: ContentRatesParts): (tls: TLSSocket, raw: Socket) => void {
  const strangersOf = keyedBuckets(mostKeys, () => tokenBucket(strangersPerSecond));
  const knownOf = keyedBuckets(mostKeys, () => tokenBucket(recordsPerSecond));

  function mayBring(raw: Socket, { length }: Buffer): boolean {
    const isOrdinary = length >= ordinaryBytes;
    if (!isProven(raw)) return strangersOf(keyOf(raw)).take(isOrdinary ? ordinaryShare : 1);
    return isOrdinary || knownOf(keyOf(raw)).take(1);
  }

  return (tls, raw) => {
    let records = 0;
    // Without a listener Node's parser would have it past the stream.
    tls.on('data', () => {});
    onArrival(tls, (content) => {
      if (raw.destroyed) return undefined;
      records += 1;
      if (records <= firstRecords || mayBring(raw, content)) return content;
      // Nothing of what was read with this record comes to us any more.
      tls.destroy();
      onFlood(raw);
      return undefined;
    });
  };
}
