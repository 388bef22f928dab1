import type { Duplex } from 'node:stream';
import { drained } from '../drained.ts';
import { encodeFrame, type Frame, FrameError, FrameReader } from '../wire/frames.ts';
import { CarrierError } from './carrier-error.ts';
import { CarrierFrame } from './carrier-frame.ts';
import { LoopTurns } from './loop-turns.ts';

/** A carrier says it every 5 s at most: so often within one answer is an hour and more. */
const workingMost = 1000;

/** Frames over a stream, one reader: reads only as fast as it is asked, and nothing stays silent for long. */
export class FrameChannel {
  readonly #stream: Duplex;
  readonly #silenceMs: number;
  readonly #frames: AsyncIterator<Frame, undefined>;
  #movedBytes = 0;
  #waitedMs = 0;
  #waitingSince: number | undefined;
  readonly #turns = new LoopTurns();

  constructor(stream: Duplex, silenceMs: number) {
    this.#stream = stream;
    this.#silenceMs = silenceMs;
    // What breaks is reported by the read side, once; without a listener it would be thrown at the process.
    stream.on('error', () => {});
    this.#frames = framesOf(stream);
  }

  get writable(): boolean {
    return this.#stream.writable;
  }

  /** Of all frames in both directions, but for `working`. */
  get movedBytes(): number {
    return this.#movedBytes;
  }

  /** How long the carrier was waited for, until now: for a frame of it, or until it takes what is on its way. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince);
  }

  /** A promise means that too much is on its way, and resolves when it is less or the stream is gone. */
  write(type: number, payload?: Uint8Array): Promise<void> | undefined {
    this.#movedBytes += payload?.length ?? 0;
    if (!this.#stream.writable || this.#stream.write(encodeFrame(type, payload))) return undefined;
    const deadline = setTimeout(() => this.destroy(), this.#silenceMs);
    return this.#waiting(drained(this.#stream)).finally(() => clearTimeout(deadline));
  }

  /**
   * The next frame but `working`, which only says that the carrier lives; rejects with `carrier-lost` if none comes, and
   * with a FrameError if what comes is no frame. Its payload is valid until the next call.
   */
  async next(): Promise<Frame> {
    for (let left = workingMost; left > 0; left--) {
      const frame = await this.#any();
      if (frame.type === CarrierFrame.working) continue;
      this.#movedBytes += frame.payload.length;
      return frame;
    }
    this.destroy();
    throw new CarrierError('carrier-lost', 'the carrier worked without an end', { isOver: true });
  }

  async #any(): Promise<Frame> {
    await this.#turns.next();
    let silent = false;
    const deadline = setTimeout(() => {
      silent = true;
      this.destroy();
    }, this.#silenceMs);
    try {
      const { value, done } = await this.#waiting(this.#frames.next());
      if (done !== true) return value;
    } finally {
      clearTimeout(deadline);
    }
    const why = silent ? `said nothing for ${this.#silenceMs / 1000} s` : 'ended before its answer';
    throw new CarrierError('carrier-lost', `the carrier ${why}`, { isOver: true });
  }

  async #waiting<T>(promise: Promise<T>): Promise<T> {
    const since = performance.now();
    this.#waitingSince = since;
    try {
      return await promise;
    } finally {
      this.#waitedMs += performance.now() - since;
      this.#waitingSince = undefined;
    }
  }

  /** The carrier takes this for the end: it writes what it knows and exits. */
  end(): void {
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.destroy();
  }
}

async function* framesOf(stream: Duplex): AsyncGenerator<Frame, undefined> {
  const reader = new FrameReader();
  try {
    for await (const chunk of stream) yield* reader.push(chunk as Buffer);
  } catch (error) {
    stream.destroy();
    if (error instanceof FrameError) throw error;
  }
  return undefined;
}
