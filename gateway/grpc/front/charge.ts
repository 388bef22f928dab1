import type { ServerHttp2Stream } from 'node:http2';

export interface Piece {
  readonly bytes: Buffer;
  /** So many messages are complete with it. */
  readonly messages: number;
  /** Of them, those of a few bytes, or that may have many values. */
  readonly small: number;
  /** Bytes of those that may have many values. */
  readonly heavy: number;
}

/** Whether a piece of a call is handed on now. If not, `goOn` is called once, when it may be. */
export type Charge = (piece: Piece, stream: ServerHttp2Stream, goOn: () => void) => boolean;

/** Each piece waits for so many milliseconds. */
export function waiting(waitOf: (piece: Piece) => number): Charge {
  return (piece, _stream, goOn) => {
    const waitMs = waitOf(piece);
    if (waitMs > 0) setTimeout(goOn, waitMs).unref();
    return waitMs <= 0;
  };
}

/** One after the other. */
export function both(first: Charge, second: Charge): Charge {
  return (piece, stream, goOn) => {
    const next = () => {
      if (second(piece, stream, goOn)) goOn();
    };
    return first(piece, stream, next) && second(piece, stream, goOn);
  };
}
