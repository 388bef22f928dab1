import type { Duplex } from 'node:stream';
import type { Frame } from '../wire/frames.ts';
import { CarrierError, carrierErrorOf } from './carrier-error.ts';
import { CarrierFrame } from './carrier-frame.ts';
import { type CarrierState, parseState } from './carrier-state.ts';
import { FrameChannel } from './frame-channel.ts';
import { encodeHello, type Hello } from './hello.ts';
import { u8 } from './payload.ts';

const defaultSilenceMs = 120_000;

/**
 * One carrier over a stream. `ready` first; then one operation at a time. What the carrier refuses, and a stream that
 * ends, reject with `CarrierError`; after that the session is of no use.
 */
export class CarrierSession {
  readonly #channel: FrameChannel;
  #busy = false;

  constructor(stream: Duplex, silenceMs = defaultSilenceMs) {
    this.#channel = new FrameChannel(stream, silenceMs);
  }

  /** The carrier has looked at all of its tree. */
  async ready(hello: Hello): Promise<CarrierState> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.hello, encodeHello(hello));
      return parseState((await this.#answer(CarrierFrame.ready)).payload);
    });
  }

  /** What the tree is now: everything that was written before this was called is in it. */
  async settle({ all = false } = {}): Promise<CarrierState> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.settle, u8(all ? 1 : 0));
      return parseState((await this.#answer(CarrierFrame.state)).payload);
    });
  }

  end(): void {
    this.#channel.end();
  }

  destroy(): void {
    this.#channel.destroy();
  }

  async #answer(...types: number[]): Promise<Frame> {
    const frame = await this.#channel.next();
    if (types.includes(frame.type)) return frame;
    if (frame.type === CarrierFrame.failed) throw carrierErrorOf(frame.payload);
    this.destroy();
    if (frame.type === CarrierFrame.refused) throw carrierErrorOf(frame.payload);
    throw new CarrierError('carrier-failed', `the carrier sent a frame of type ${frame.type}`);
  }

  async #alone<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#busy) throw new CarrierError('carrier-failed', 'the carrier is asked two things at a time');
    this.#busy = true;
    try {
      return await operation();
    } finally {
      this.#busy = false;
    }
  }
}
