import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { countedLog } from '../counted-log.ts';
import { keyedBuckets } from '../keyed-buckets.ts';
import { tokenBucket } from '../token-bucket.ts';

// Published when the headers of a message have been read, before any of its content.
const [requests, responses] = ['http.server.request.start', 'http.client.response.finish'] as const;
type Published = { readonly request?: IncomingMessage; readonly response?: IncomingMessage };

/** Smaller pieces are joined. */
const smallBytes = 1_024;
const joinedBytes = 4_096;
/** Smaller ones have a rate for each owner; larger ones count by their bytes, where something reads them. */
const tinyBytes = 64;
/** The words of a model are some hundred a second. Twice as many at once. */
const perSecond = 2_000;
/** Of each message so many are free: a small body does not belong to the flood that comes from the same address. */
const freePieces = 16;
const mostOwners = 10_000;

const owner = Symbol('owner of what comes over a connection');
type Owned = Duplex & { [owner]?: string };

/** What comes over it counts for this owner; if nobody says so, for the address at its other end. */
export function countPiecesOf(connection: Owned, name: string): void {
  connection[owner] = name;
}

/**
 * In HTTP/1.1 each chunk is a buffer and a run of callbacks, and may have one byte: bounds of bytes do not bound them.
 * From now on small pieces of what comes for this process's servers and clients are joined, so that they take no more
 * memory than their bytes, and the connection of a message with too many of them ends. Of each owner that is a line a
 * second, with a count. `keyOf` makes one key of the addresses that one peer may have.
 */
export function joinSmallPieces(
  log: Pick<Logger, 'warn'>,
  keyOf = (address: string): string => address,
): Disposable {
  const rateOf = keyedBuckets(mostOwners, () => newRate(log));
  const take = (message?: IncomingMessage) => {
    if (message === undefined) return;
    const socket: Owned & { readonly remoteAddress?: string | undefined } = message.socket;
    const name = socket[owner] ?? keyOf(socket.remoteAddress ?? '');
    const flooded = () =>
      rateOf(name).warn({ owner: name }, 'a message came byte by byte: its connection is ended');
    join(message, { mayCome: () => rateOf(name).take(1), flooded });
  };
  const onRequest = (message: unknown) => take((message as Published).request);
  const onResponse = (message: unknown) => take((message as Published).response);
  subscribe(requests, onRequest);
  subscribe(responses, onResponse);
  return {
    [Symbol.dispose]: () => {
      unsubscribe(requests, onRequest);
      unsubscribe(responses, onResponse);
    },
  };
}

/** Of one owner. A line is written when it has used up its pieces: when it has them all again, it may have the next line. */
function newRate(log: Pick<Logger, 'warn'>) {
  const { take, isFull } = tokenBucket(perSecond);
  return { take, isFull, warn: countedLog((fields, message) => log.warn(fields, message), 1, 1) };
}

interface Counting {
  readonly mayCome: () => boolean;
  readonly flooded: () => void;
}

function join(message: IncomingMessage, { mayCome, flooded }: Counting): void {
  let free = freePieces;
  const [push, read] = [message.push.bind(message), message.read.bind(message)];
  let room: Buffer | undefined;
  let used = 0;
  let isDue = false;

  function flush(): void {
    isDue = false;
    const joined = room?.subarray(0, used);
    used = 0;
    if (joined !== undefined && joined.length > 0 && !message.destroyed) push(Buffer.from(joined));
  }

  /** When all that the parser has now is here, and nothing before it waits for its reader. */
  function flushSoon(): void {
    if (isDue || used === 0 || message.readableLength > 0) return;
    isDue = true;
    process.nextTick(flush);
  }

  function keep(piece: Buffer): void {
    room ??= Buffer.allocUnsafeSlow(joinedBytes);
    if (used + piece.length > joinedBytes) flush();
    used += piece.copy(room, used);
    flushSoon();
  }

  // Node's parser calls it for each piece, whether anything reads or not; no event tells of one that waits.
  message.push = (piece: Buffer | null) => {
    if (piece !== null && piece.length < smallBytes) {
      if (message.destroyed) return false;
      if (piece.length < tinyBytes) free -= 1;
      if (piece.length >= tinyBytes || free >= 0 || mayCome()) keep(piece);
      else {
        flooded();
        message.destroy();
      }
      return message.readableLength + used < message.readableHighWaterMark;
    }
    flush();
    return push(piece);
  };
  message.read = (size?: number) => {
    const bytes: unknown = read(size);
    flushSoon();
    return bytes;
  };
}
