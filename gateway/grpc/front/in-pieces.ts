import type { ServerHttp2Stream } from 'node:http2';
import type { Charge, Piece } from './charge.ts';

type Listener = (...args: unknown[]) => void;

export interface Cutting {
  /** Parts a chunk. */
  readonly cut: (chunk: Buffer) => readonly Piece[];
  /** Called once for each piece, when its reader wants it. */
  readonly charge: Charge;
  readonly onHandedOn: (piece: Piece) => void;
  /** All of it was handed on, and the end comes behind it. */
  readonly onEnd: () => void;
}

/**
 * Hands what comes on in pieces, as far as the present readers want it. grpc-js decodes every message of what it gets
 * at once, also those that nobody will read: a frame of 16 KiB may hold three thousand.
 */
export function inPieces(stream: ServerHttp2Stream, { cut, charge, onHandedOn, onEnd }: Cutting): void {
  const readers = take(stream, 'data');
  const enders = take(stream, 'end');
  const pieces: Piece[] = [];
  let isCharged = false;
  let ended = false;
  const call = (listeners: readonly Listener[], ...args: unknown[]) => {
    for (const listener of listeners) Reflect.apply(listener, stream, args);
  };
  const goOn = () => void stream.resume();

  function handOn(): void {
    // Nobody wants what is left of a call that is over; one that is only closed waits until it is read to its end.
    if (stream.closed) pieces.length = 0;
    for (let [piece] = pieces; piece !== undefined && !stream.isPaused(); [piece] = pieces) {
      isCharged = !isCharged && !charge(piece, stream, goOn);
      if (isCharged) {
        stream.pause();
        return;
      }
      pieces.shift();
      onHandedOn(piece);
      // A reader that has enough for now pauses the stream.
      call(readers, piece.bytes);
    }
    if (ended && pieces.length === 0) {
      ended = false;
      onEnd();
      call(enders);
    }
  }

  stream.on('data', (chunk: Buffer) => {
    pieces.push(...cut(chunk));
    handOn();
  });
  // It comes before what the stream has read for those who want to go on.
  stream.on('resume', handOn);
  stream.on('end', () => {
    ended = true;
    handOn();
  });
  stream.once('close', () => void (pieces.length = 0));
}

function take(stream: ServerHttp2Stream, event: string): readonly Listener[] {
  const listeners = stream.listeners(event) as Listener[];
  stream.removeAllListeners(event);
  return listeners;
}
