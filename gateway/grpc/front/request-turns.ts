import type { ServerHttp2Stream } from 'node:http2';
import type { TokenBucket } from '../../../src/token-bucket.ts';
import type { Charge } from './charge.ts';

/** Decoded within some milliseconds, whatever they contain. */
const bytesInTurn = 64 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly goOn: () => void;
}

/**
 * Messages of one peer that may have thousands of values. So many bytes of them, or one message, are handed on in one
 * turn of the event loop, in their order, and none while the peer owes for values of those before.
 */
export class RequestTurns {
  readonly #values: Pick<TokenBucket, 'waitMs'>;
  readonly #line = new Map<ServerHttp2Stream, Waiting>();
  #handedOn = 0;
  #isScheduled = false;

  constructor(values: Pick<TokenBucket, 'waitMs'>) {
    this.#values = values;
  }

  charge: Charge = ({ heavy }, stream, goOn) => {
    if (heavy === 0 || (this.#line.size === 0 && this.#take(heavy))) return true;
    const leave = () => void this.#line.delete(stream);
    const called = () => {
      stream.off('close', leave);
      goOn();
    };
    stream.once('close', leave);
    this.#line.set(stream, { bytes: heavy, goOn: called });
    this.#schedule();
    return false;
  };

  #take(bytes: number): boolean {
    const hasRoom = this.#handedOn === 0 || this.#handedOn + bytes <= bytesInTurn;
    if (!hasRoom || this.#values.waitMs() > 0) return false;
    this.#handedOn += bytes;
    this.#schedule();
    return true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const waitMs = this.#values.waitMs();
    if (waitMs > 0) setTimeout(() => this.#turn(), waitMs).unref();
    else setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#handedOn = 0;
    for (const [stream, { bytes, goOn }] of this.#line) {
      if (!this.#take(bytes)) break;
      this.#line.delete(stream);
      goOn();
    }
    if (this.#line.size > 0) this.#schedule();
  }
}
