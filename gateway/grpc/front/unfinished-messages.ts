import { constants, type ServerHttp2Stream } from 'node:http2';
import { crumbBytes } from '../../../src/crumb-budgets.ts';
import type { Charge, Piece } from './charge.ts';
import { inPieces } from './in-pieces.ts';
import { isHeavy, type MessageBound } from './message-bounds.ts';

/** Most bytes of incomplete messages over all connections; each connection is also bounded by itself. */
export interface UnfinishedMessages {
  /**
   * Watches a stream that grpc-js already reads, reports what comes, and hands it on in pieces of some messages. Resets
   * the stream if its peer, or all peers together, hold too much, or if its messages are compressed: none of our clients
   * compresses.
   */
  readonly watch: (stream: ServerHttp2Stream, peer: Held, heard: Heard) => void;
}

export interface Heard {
  readonly onContent: (bytes: number) => void;
  /** The message is complete. */
  readonly onMessage: (isFirst: boolean) => void;
  readonly charge: Charge;
  /** Of each message. */
  readonly bound: MessageBound;
}

export interface Held {
  unfinishedBytes: number;
}

/** 32 of the largest messages, over all connections of a peer. */
const perPeer = 64 * 1024 * 1024;
const inAll = 256 * 1024 * 1024;
const headerBytes = 5;
/** A reader that wants one message decodes so many. */
const perPiece = 16;

export function unfinishedMessages(): UnfinishedMessages {
  let all = 0;

  function watch(
    stream: ServerHttp2Stream,
    peer: Held,
    { onContent, onMessage, charge, bound }: Heard,
  ): void {
    const read = messageReader(onMessage, bound);
    let held = 0;
    let unfinished = 0;
    /** Of pieces that their reader does not want yet. */
    let waiting = 0;
    let over = false;
    const hold = (bytes: number) => {
      if (over) return;
      all += bytes - held;
      peer.unfinishedBytes += bytes - held;
      held = bytes;
    };
    const cut = (chunk: Buffer): readonly Piece[] => {
      onContent(chunk.length);
      const { come, pieces, isCompressed } = read(chunk);
      [unfinished, waiting] = [come, waiting + chunk.length];
      hold(unfinished + waiting);
      if (isCompressed) stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
      else if (peer.unfinishedBytes > perPeer || all > inAll)
        stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      return stream.closed ? [] : pieces;
    };
    const onHandedOn = ({ bytes }: Piece) => {
      waiting -= bytes.length;
      hold(unfinished + waiting);
    };
    inPieces(stream, { cut, charge, onHandedOn });
    stream.once('close', () => {
      hold(0);
      over = true;
    });
  }

  return { watch };
}

interface Read {
  /** So much of the present message has come. */
  readonly come: number;
  readonly pieces: readonly Piece[];
  readonly isCompressed: boolean;
}

/** Parts received bytes after so many messages. Calls `onMessage` when a message is complete. */
function messageReader(onMessage: Heard['onMessage'], bound: MessageBound): (chunk: Buffer) => Read {
  const header = Buffer.alloc(headerBytes);
  let come = 0;
  let heavy = false;
  let heard = false;

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
      if (to > from) pieces.push({ bytes: chunk.subarray(from, to), ...rest });
      next = { from: to, messages: 0, small: 0, heavy: 0 };
    };
    for (let at = 0; at < chunk.length; ) {
      at = take(chunk, at);
      if (come > 0 && header[0] !== 0) return { come, pieces, isCompressed: true };
      if (come < headerBytes || come < headerBytes + header.readUInt32BE(1)) break;
      next.messages += 1;
      if (come < crumbBytes || heavy) next.small += 1;
      if (heavy) next.heavy += come;
      come = 0;
      onMessage(!heard);
      heard = true;
      if (next.messages === perPiece) part(at);
    }
    part(chunk.length);
    return { come, pieces, isCompressed: false };
  };
}
