import { constants, type ServerHttp2Stream } from 'node:http2';
import { crumbBytes } from '../../../src/crumb-budgets.ts';
import { onArrival, ownBytes } from '../../connections/on-arrival.ts';
import type { Charge, Piece } from './charge.ts';
import { inPieces } from './in-pieces.ts';
import { isHeavy, type MessageBound } from './message-bounds.ts';

/** Most bytes that have come and are in no request yet, over all connections; those of each peer are bounded, too. */
export interface UnfinishedMessages {
  /**
   * Counts what comes for a call from now on, whether something reads it or not, until the call is closed. If more comes
   * than may wait here, refuses and destroys the call of that peer for which most waits, which may be another one.
   */
  readonly count: (stream: ServerHttp2Stream, peer: Held, call: Countable) => CountedCall;
}

export interface Countable {
  /** Calls of its relay wait for it: it is not refused for what waits, while there is another one. */
  readonly isAhead: boolean;
  readonly refuse: (why: string) => void;
}

export interface CountedCall {
  /**
   * For a stream that grpc-js already reads: reports what is read, and hands it on in pieces of some messages. Resets
   * the stream if its messages are compressed: none of our clients compresses.
   */
  readonly watch: (heard: Heard) => void;
  /** Whether it is a lane that somebody has taken, of which each agent has one: its window bounds what is unread. */
  readonly countAsLane: (is: boolean) => void;
}

/** What is told of a call that is read. */
export interface Hearing {
  readonly onContent: (bytes: number) => void;
  /** A message is complete. */
  readonly onMessage: () => void;
  /** The first one is; if the call brings only one, its end has come, too. */
  readonly onRequest: () => void;
}

export interface Heard extends Hearing {
  readonly charge: Charge;
  /** Of each message. */
  readonly bound: MessageBound;
  readonly bringsMany: boolean;
}

export interface Held {
  heldBytes: number;
  readonly holders: Set<Holder>;
}

/** A call that counts. */
export interface Holder {
  readonly isAhead: boolean;
  heldBytes: number;
  /** At once, and it counts no more. */
  readonly end: () => void;
}

/** 32 of the largest messages, over all connections of a peer. */
const perPeer = 64 * 1024 * 1024;
const inAll = 256 * 1024 * 1024;
const headerBytes = 5;
/** What keeping a chunk costs beside its bytes, which may be a few. */
const chunkBytes = 256;
/** A reader that wants one message decodes so many. */
const perPiece = 16;

interface Counts {
  /** Nobody has read them. */
  unread: number;
  /** In so many chunks. */
  chunks: number;
  isLane: boolean;
  /** Of pieces that their reader does not want yet. */
  waiting: number;
  /** Of the present message; of a call that brings one, all until its end. */
  unfinished: number;
}

export function unfinishedMessages(): UnfinishedMessages {
  let all = 0;
  const peers = new Set<Held>();

  /** Who holds most, once all of it is too much: the one that sends a byte then may hold next to nothing. */
  const fullest = (peer: Held) =>
    peer.heldBytes > perPeer ? peer : largestOf(peers, ({ heldBytes }) => heldBytes);

  function count(stream: ServerHttp2Stream, peer: Held, { isAhead, refuse }: Countable): CountedCall {
    const unread = stream.readableLength;
    const counts: Counts = { unread, chunks: 0, isLane: false, waiting: 0, unfinished: 0 };
    const hold = () => {
      const now = peer.holders.has(holder) ? sumOf(counts) : 0;
      all += now - holder.heldBytes;
      peer.heldBytes += now - holder.heldBytes;
      holder.heldBytes = now;
    };
    const leave = () => {
      peer.holders.delete(holder);
      if (peer.holders.size === 0) peers.delete(peer);
      hold();
    };
    const end = () => {
      leave();
      refuse('more came for its peer than may wait here');
      // Its reset may have to wait until the peer reads.
      stream.destroy();
    };
    const holder: Holder = { isAhead, heldBytes: 0, end };
    peer.holders.add(holder);
    peers.add(peer);
    onArrival(stream, (chunk) => {
      if (stream.closed || !peer.holders.has(holder)) return undefined;
      counts.unread += chunk.length;
      counts.chunks += 1;
      hold();
      if (peer.heldBytes > perPeer || all > inAll) largestCallOf(fullest(peer))?.end();
      if (!peer.holders.has(holder)) return undefined;
      return stream.readableFlowing === true ? chunk : ownBytes(chunk);
    });
    hold();
    stream.once('close', leave);
    return {
      watch: (heard) => watch(stream, counts, hold, heard),
      countAsLane: (is) => {
        counts.isLane = is;
        hold();
      },
    };
  }

  return { count };
}

/** A peer may be a relay with many agents: who sends a byte more is not who has filled its room. */
function largestCallOf(peer: Held | undefined): Holder | undefined {
  return largestOf(peer?.holders ?? [], ({ isAhead, heldBytes }) =>
    isAhead ? heldBytes - 2 * inAll : heldBytes,
  );
}

function largestOf<Item>(items: Iterable<Item>, sizeOf: (item: Item) => number): Item | undefined {
  let largest: Item | undefined;
  for (const each of items) if (largest === undefined || sizeOf(each) > sizeOf(largest)) largest = each;
  return largest;
}

function sumOf({ unread, chunks, isLane, waiting, unfinished }: Counts): number {
  return (isLane ? 0 : unread) + chunks * chunkBytes + waiting + unfinished;
}

/** `hold` is called when the counts have changed. */
function watch(stream: ServerHttp2Stream, counts: Counts, hold: () => void, heard: Heard): void {
  const { onContent, onMessage, onRequest, charge, bound, bringsMany } = heard;
  let isFirst = bringsMany;
  const read = messageReader(bound, () => {
    onMessage();
    if (isFirst) onRequest();
    isFirst = false;
  });
  const cut = (chunk: Buffer): readonly Piece[] => {
    onContent(chunk.length);
    counts.unread = stream.readableLength;
    counts.chunks = counts.unread === 0 ? 0 : counts.chunks - 1;
    if (stream.closed || stream.writableEnded) {
      // It was answered: nobody pays for what is left of it, and what nobody gets is not parsed.
      onMessage();
      hold();
      return [];
    }
    const { come, pieces, isCompressed } = read(chunk);
    counts.waiting += chunk.length;
    counts.unfinished = bringsMany ? come : counts.unfinished + chunk.length + chunkBytes;
    hold();
    if (isCompressed) stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
    return stream.closed ? [] : pieces;
  };
  const onHandedOn = ({ bytes }: Piece) => {
    counts.waiting -= bytes.length;
    hold();
  };
  const onEnd = () => {
    counts.unfinished = 0;
    hold();
    if (!bringsMany) onRequest();
  };
  inPieces(stream, { cut, charge, onHandedOn, onEnd });
}

interface Read {
  /** What the part of the present message that has come takes. */
  readonly come: number;
  readonly pieces: readonly Piece[];
  readonly isCompressed: boolean;
}

/** Parts received bytes after so many messages. Calls `onMessage` when a message is complete. */
function messageReader(bound: MessageBound, onMessage: () => void): (chunk: Buffer) => Read {
  const header = Buffer.alloc(headerBytes);
  let come = 0;
  /** In so many chunks. */
  let chunks = 0;
  let heavy = false;
  // What the first one says decides about those behind it.
  let inPiece = 1;

  /** Takes bytes of one message from `at` on; returns where they end. */
  function take(chunk: Buffer, at: number): number {
    let end = at;
    if (come < headerBytes) {
      const taken = chunk.copy(header, come, at, at + headerBytes - come);
      end += taken;
      come += taken;
    }
    if (come < headerBytes || header[0] !== 0) return end;
    const length = header.readUInt32BE(1);
    const taken = Math.min(headerBytes + length - come, chunk.length - end);
    if (come === headerBytes) heavy = taken > 0 && isHeavy(bound, chunk.readUInt8(end), length);
    come += taken;
    return end + taken;
  }

  return (chunk) => {
    const pieces: Piece[] = [];
    let next = { from: 0, messages: 0, small: 0, heavy: 0 };
    const part = (to: number) => {
      const { from, ...rest } = next;
      const bytes = chunk.subarray(from, to);
      // The rest of a message may be long in coming.
      if (to > from) pieces.push({ bytes: come > 0 ? ownBytes(bytes) : bytes, ...rest });
      next = { from: to, messages: 0, small: 0, heavy: 0 };
    };
    for (let at = 0; at < chunk.length; ) {
      at = take(chunk, at);
      if (come > 0 && header[0] !== 0) return { come, pieces, isCompressed: true };
      if (come < headerBytes || come < headerBytes + header.readUInt32BE(1)) break;
      next.messages += 1;
      if (come < crumbBytes || heavy) next.small += 1;
      if (heavy) next.heavy += come;
      [come, chunks] = [0, 0];
      onMessage();
      if (next.messages < inPiece) continue;
      part(at);
      inPiece = perPiece;
    }
    part(chunk.length);
    if (come > 0) chunks += 1;
    return { come: come + chunks * chunkBytes, pieces, isCompressed: false };
  };
}
