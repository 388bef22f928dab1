import type { Frame } from '../wire/frames.ts';
import type { MostAnswered, Put } from './bounded-answer.ts';
import type { CarrierSession } from './carrier-session.ts';
import type { ChangesDone, ChangesQuery } from './exchange-frames.ts';
import { LoopTurns } from './loop-turns.ts';

/** So much of an answer is in memory before somebody takes it. */
const aheadBytes = 4 * 1024 * 1024;
/** What a frame costs beside its bytes. */
const frameCost = 256;

/** The changes of a carrier, asked for before anybody can take them: what takes long there holds up nobody else. */
export class FetchAhead {
  /** All of it is here, or as much as is held in memory. */
  readonly ready: Promise<void>;
  readonly #filled = Promise.withResolvers<void>();
  readonly #taken = Promise.withResolvers<void>();
  readonly #done: Promise<ChangesDone>;
  #frames: Frame[] = [];
  #bytes = 0;
  #put: Put | undefined;

  constructor(from: CarrierSession, query: ChangesQuery, most?: MostAnswered) {
    // The one that takes it hears what went wrong; without a taker `ready` says so.
    this.#taken.promise.catch(() => {});
    this.#done = from.changes(query, (frame) => this.#hold(frame), most);
    this.ready = Promise.race([this.#filled.promise, this.#done.then(() => {})]);
    this.ready.catch(() => {});
  }

  /** Hands all of it on. */
  async into(put: Put): Promise<ChangesDone> {
    const held = this.#frames;
    this.#frames = [];
    const turns = new LoopTurns();
    for (const frame of held) {
      await turns.next();
      await put(frame);
    }
    this.#put = put;
    this.#taken.resolve();
    return await this.#done;
  }

  /** Nobody takes it. */
  stop(why: unknown): void {
    this.#taken.reject(why);
    this.#done.catch(() => {});
  }

  #hold(frame: Frame): Promise<void> | undefined {
    if (this.#put !== undefined) return this.#put(frame);
    this.#frames.push({ type: frame.type, payload: Buffer.from(frame.payload) });
    this.#bytes += frame.payload.length + frameCost;
    if (this.#bytes < aheadBytes) return undefined;
    this.#filled.resolve();
    // It asks for no more until somebody takes these.
    return this.#taken.promise;
  }
}
