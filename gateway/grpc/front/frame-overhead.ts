import type { ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { newExcess } from '../../../src/tls/new-excess.ts';

/** The header of a frame. */
export const frameBytes = 9;
/** Headers of a call with a new token, its end included. */
const callBytes = 1024;
/** A relay has sent the message of a call before it hears that the call is refused; its budget lets no more through. */
const refusedBytes = 8 * 1024;
/** Frames of ordinary size have less overhead than this part of their content, and so have windows for our own. */
const freePart = 1 / 64;
/** Content in so many pieces is looked at before more of it is read: each piece comes to us, and costs the most. */
const piecesPerLook = 1024;

/**
 * What the frames of one connection bring beside what its calls need. HTTP/2 reads them without a word to us, however
 * many of them a record carries: windows, settings, priorities, and content byte by byte.
 */
export class FrameOverhead {
  #tls: TLSSocket | undefined;
  readonly #open = new Set<ServerHttp2Stream>();
  readonly #newExcess = newExcess();
  #content = 0;
  #allowed = 0;
  #pieces = 0;

  secured(tls: TLSSocket): void {
    this.#tls = tls;
  }

  /** Content of it may wait in the stream, for its turn or for its reader. */
  called(stream: ServerHttp2Stream): void {
    this.#allowed += callBytes;
    this.#open.add(stream);
    stream.once('close', () => {
      this.#open.delete(stream);
      this.#content += stream.readableLength;
    });
  }

  refused(): void {
    this.#allowed += callBytes + refusedBytes;
  }

  /** A piece of content that was read; true if it is time to look. */
  read(bytes: number): boolean {
    this.#content += bytes;
    this.#pieces = (this.#pieces + 1) % piecesPerLook;
    return this.#pieces === 0;
  }

  /** A whole message, which may have had a frame of its own. */
  message(): void {
    this.#allowed += frameBytes;
  }

  /** Bytes that came since the last call and that no call needed. */
  take(): number {
    if (this.#tls === undefined) return 0;
    let content = this.#content;
    for (const stream of this.#open) content += stream.readableLength;
    const free = (content + this.#tls.bytesWritten) * freePart;
    return this.#newExcess(this.#tls.bytesRead - content - this.#allowed - free);
  }
}
