import type { Socket } from 'node:net';
import { ClawrdenError } from '../../../../src/errors.ts';
import { FrameError } from '../../../../src/wire/frames.ts';

export const maxRequestBytes = 1024 * 1024;
const headerBytes = 4;
const firstBytes = 4096;
const spareBytes = 64 * 1024;

/**
 * The request's body; bytes after it are read from the socket next. Leaves the socket paused. Rejects with
 * `too-large`, with the error of `admit` before the body is read, or with a FrameError if the client broke the
 * protocol, hung up or took longer than `timeoutMs`.
 */
export function receiveRequest(
  socket: Socket,
  timeoutMs: number,
  admit: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const buffer = new RequestBuffer(admit);
    const onData = (chunk: Buffer) => {
      try {
        const body = buffer.push(chunk);
        if (body !== undefined) settle(() => resolve(body));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onGone = () =>
      settle(() => reject(new FrameError('the client hung up before its request was complete')));
    const onTimeout = () =>
      settle(() => reject(new FrameError(`the request took longer than ${timeoutMs} ms`)));
    const timer = setTimeout(onTimeout, timeoutMs);
    const settle = (then: () => void) => {
      clearTimeout(timer);
      socket.pause();
      socket.off('data', onData).off('end', onGone).off('close', onGone);
      if (buffer.rest.length > 0) socket.unshift(buffer.rest);
      then();
    };
    socket.on('end', onGone).on('close', onGone).on('data', onData).resume();
  });
}

/** Grows with the received bytes, never with the announced length. */
class RequestBuffer {
  #bytes = Buffer.allocUnsafe(firstBytes);
  #filled = 0;
  #end: number | undefined;
  readonly #admit: (bytes: number) => void;
  /** A copy of the bytes behind a complete request. */
  rest: Buffer = Buffer.alloc(0);

  constructor(admit: (bytes: number) => void) {
    this.#admit = admit;
  }

  push(chunk: Buffer): Buffer | undefined {
    this.#append(chunk);
    if (this.#filled < headerBytes) return undefined;
    this.#end ??= headerBytes + this.#checkLength(this.#bytes.readUInt32BE(0));
    const end = this.#end;
    if (this.#filled < end) return undefined;
    this.rest = Buffer.from(this.#bytes.subarray(end, this.#filled));
    return this.#bytes.subarray(headerBytes, end);
  }

  #append(chunk: Buffer): void {
    const filled = this.#filled + chunk.length;
    if (filled > this.#bytes.length) {
      const most = headerBytes + maxRequestBytes + spareBytes;
      const grown = Buffer.allocUnsafe(Math.max(filled, Math.min(2 * this.#bytes.length, most)));
      this.#bytes.copy(grown, 0, 0, this.#filled);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#filled);
    this.#filled = filled;
  }

  #checkLength(length: number): number {
    if (length === 0) throw new FrameError('a request of no bytes');
    // A request that is too large is a request, too, and its refusal is work for the gateway.
    this.#admit(length > maxRequestBytes ? 0 : length);
    if (length > maxRequestBytes) {
      throw new ClawrdenError('too-large', `the request is larger than ${maxRequestBytes} bytes`);
    }
    return length;
  }
}
