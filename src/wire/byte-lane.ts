import { Duplex } from 'node:stream';

/** The most bytes of one message. */
export const laneMessageBytes = 64 * 1024;

/** Bytes that wait for flow control; waiting for each message would cost a turn of the loop for each. */
const mostOnItsWay = 512 * 1024;
/** A message counts as more than its bytes, which may be a few. */
const besideBytes = 128;

export interface LaneMessages<Out, In> {
  readonly wrap: (bytes: Buffer) => Out;
  /** `undefined` for a message that has no place here: it ends the lane. */
  readonly unwrap: (message: In) => Uint8Array | undefined;
  /** Ends the stream below at once; it may have ended. */
  readonly abort: () => void;
}

/** What a call of grpc-js and a Duplex of objects have in common. */
export interface MessageStream<Out, In> {
  write(message: Out, done: (error?: Error | null) => void): unknown;
  end(): unknown;
  pause(): unknown;
  resume(): unknown;
  on(event: string, listener: (message: In) => void): unknown;
}

/**
 * Bytes over a stream of messages, both ways. It reads from `stream` only as fast as it is read, and takes more to
 * write only while half a mebibyte waits at most: flow control of the connection below is that of the bytes.
 */
export function byteLane<Out, In>(
  stream: MessageStream<Out, In>,
  { wrap, unwrap, abort }: LaneMessages<Out, In>,
): Duplex {
  let onItsWay = 0;
  let blocked: (() => void) | undefined;
  const send = (piece: Buffer): void => {
    const weight = piece.length + besideBytes;
    onItsWay += weight;
    stream.write(wrap(piece), (error) => {
      onItsWay -= weight;
      if (error) return void lane.destroy();
      if (blocked === undefined || onItsWay >= mostOnItsWay) return;
      const next = blocked;
      blocked = undefined;
      next();
    });
  };
  const lane = new Duplex({
    read: () => void stream.resume(),
    write: (chunk: Buffer, _encoding, done) => {
      for (let at = 0; at < chunk.length; at += laneMessageBytes) {
        send(chunk.subarray(at, at + laneMessageBytes));
      }
      if (onItsWay < mostOnItsWay) done();
      else blocked = done;
    },
    final: (done) => {
      stream.end();
      done();
    },
    destroy: (error, done) => {
      abort();
      done(error);
    },
  });
  stream.on('data', (message: In) => {
    const bytes = unwrap(message);
    // One that is empty costs its sender nothing, and this side as much as any other.
    if (bytes === undefined || bytes.length === 0 || bytes.length > laneMessageBytes) lane.destroy();
    else if (!lane.push(bytes)) stream.pause();
  });
  let ended = false;
  stream.on('end', () => {
    ended = true;
    lane.push(null);
  });
  stream.on('close', () => {
    if (!ended) lane.destroy();
  });
  for (const over of ['error', 'cancelled']) stream.on(over, () => void lane.destroy());
  return lane;
}
