/**
 * The frame shape of the shim's socket and of the init's stdio: `u8 type, u32 length (big-endian), payload`.
 * `docs/protocol.md` lists who sends which type; this file knows only the shape.
 */
export const FrameType = {
  stdout: 1,
  stderr: 2,
  exit: 3,
  cancel: 4,
  stdin: 5,
  signal: 6,
  resize: 7,
  notice: 8,
  credit: 9,
  closed: 10,
  stopped: 11,
  unread: 12,
  plan: 16,
  ready: 17,
  started: 18,
  refused: 19,
  operands: 20,
  opened: 21,
  carried: 22,
  finished: 23,
  room: 24,
  gone: 25,
} as const;

export type FrameType = (typeof FrameType)[keyof typeof FrameType];

export interface Frame {
  readonly type: number;
  /** A view into the bytes that were read: copy it before keeping it. */
  readonly payload: Buffer;
}

export const frameHeaderBytes = 5;
export const maxFrameBytes = 1024 * 1024;
const mostPieces = 64;

/** The peer broke the frame rules; no later byte can be trusted. */
export class FrameError extends Error {
  override name = 'FrameError';
}

export function encodeFrameHeader(type: number, length: number): Buffer {
  const header = Buffer.allocUnsafe(frameHeaderBytes);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(length, 1);
  return header;
}

export function encodeFrame(type: number, payload?: Uint8Array): Buffer {
  const length = payload?.length ?? 0;
  const frame = Buffer.allocUnsafe(frameHeaderBytes + length);
  frame.writeUInt8(type, 0);
  frame.writeUInt32BE(length, 1);
  if (payload !== undefined) frame.set(payload, frameHeaderBytes);
  return frame;
}

/**
 * Bytes in, frames out. Holds at most one unfinished frame (≤ 1 MiB + header, or `most`, which is asked at each header).
 * If a length is over the limit, throws `FrameError` from the header alone, before it keeps any payload.
 */
export class FrameReader {
  #chunks: Buffer[] = [];
  #buffered = 0;
  #wanted = frameHeaderBytes;
  readonly #most: () => number;

  constructor(most: number | (() => number) = maxFrameBytes) {
    this.#most = typeof most === 'number' ? () => most : most;
  }

  /** The frames that `chunk` completes, in order. Those before a length over the limit go with the error. */
  push(chunk: Buffer): Frame[] {
    return [...this.read(chunk)];
  }

  /** The same one by one, to the last: a reader gets every frame before the one that is over the limit. */
  *read(chunk: Buffer): Generator<Frame, void> {
    let rest = chunk;
    if (this.#buffered > 0) {
      this.#chunks.push(rest);
      this.#buffered += rest.length;
      if (this.#buffered < this.#wanted) {
        this.#joinPieces();
        return;
      }
      rest = Buffer.concat(this.#chunks, this.#buffered);
      this.#chunks = [];
      this.#buffered = 0;
    }
    let offset = 0;
    this.#wanted = frameHeaderBytes;
    while (rest.length - offset >= frameHeaderBytes) {
      const length = rest.readUInt32BE(offset + 1);
      const most = this.#most();
      if (length > most) throw new FrameError(`a frame of ${length} bytes is over the limit of ${most}`);
      const end = offset + frameHeaderBytes + length;
      if (end > rest.length) {
        this.#wanted = frameHeaderBytes + length;
        break;
      }
      yield { type: rest.readUInt8(offset), payload: rest.subarray(offset + frameHeaderBytes, end) };
      offset = end;
      this.#wanted = frameHeaderBytes;
    }
    if (offset < rest.length) {
      this.#chunks = [rest.subarray(offset)];
      this.#buffered = rest.length - offset;
    }
  }

  /** Each piece keeps all of the bytes that it was read with. */
  #joinPieces(): void {
    if (this.#chunks.length > mostPieces) this.#chunks = [Buffer.concat(this.#chunks, this.#buffered)];
  }

  /** Bytes of an unfinished frame. If it is not 0 at the end of a stream, the stream was cut. */
  get pending(): number {
    return this.#buffered;
  }
}
