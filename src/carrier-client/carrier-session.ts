import type { Duplex } from 'node:stream';
import { type Frame, FrameError } from '../wire/frames.ts';
import {
  anyAnswer,
  bounded,
  costOf,
  type MostAnswered,
  mostOfWant,
  overLimit,
  type Put,
  Wanting,
} from './bounded-answer.ts';
import { CarrierError, type CarrierRole, carrierErrorOf } from './carrier-error.ts';
import { CarrierFrame } from './carrier-frame.ts';
import { type CarrierState, parseState, type TakenLate, type Version } from './carrier-state.ts';
import {
  type Applied,
  type BeginOptions,
  type ChangesDone,
  type ChangesQuery,
  encodeAcknowledge,
  encodeBegin,
  encodeQuery,
  encodeRead,
  encodeTake,
  parseApplied,
  parseChecked,
  parseDone,
  type ReadFrom,
  replacedIn,
  type Verified,
} from './exchange-frames.ts';
import { FrameChannel } from './frame-channel.ts';
import { encodeHello, type Hello } from './hello.ts';
import { type Measured, parseMeasured } from './measured.ts';
import { u8 } from './payload.ts';
import { defaultSilenceMs, droppedMost, type SessionOptions } from './session-options.ts';
import { Told } from './told.ts';

/**
 * One carrier over a stream. `ready` first; then one operation at a time. What the carrier refuses, and a stream that
 * ends, reject with `CarrierError`; after that the session is of no use.
 */
export class CarrierSession {
  readonly #channel: FrameChannel;
  readonly role: CarrierRole | undefined;
  #busy = false;
  /** The rest of an answer is on its way, and nobody reads it. */
  #isMidway = false;
  readonly #told = new Told();
  #wanting = new Wanting();

  constructor(stream: Duplex, { role, silenceMs = defaultSilenceMs }: SessionOptions = {}) {
    this.#channel = new FrameChannel(stream, silenceMs);
    this.role = role;
  }

  /** It answers nothing now. What was put since `begin` is dropped by the next `begin`. */
  get idle(): boolean {
    return !this.#busy && !this.#isMidway;
  }

  get alive(): boolean {
    return this.#channel.writable;
  }

  /** Of all that it was asked and answered; `working` is nothing. */
  get movedBytes(): number {
    return this.#channel.movedBytes;
  }

  /** How long it was waited for, until now. */
  get waitedMs(): number {
    return this.#channel.waitedMs;
  }

  /** The carrier has looked at all of its tree. */
  async ready(hello: Hello): Promise<CarrierState> {
    return this.#askState(CarrierFrame.hello, encodeHello(hello), CarrierFrame.ready);
  }

  /** `ready` of a carrier to which somebody else said hello. */
  async greeted(): Promise<CarrierState> {
    return this.#alone(() => this.#state(CarrierFrame.ready));
  }

  /**
   * What the tree is now: everything that was written before this was called is in it. `trust`: what is gone from home
   * is meant to be gone. `check`: looks at everything as it does in the background, and counts what was not known.
   */
  async settle({ all = false, trust = false, check = false } = {}): Promise<CarrierState> {
    return this.#askState(CarrierFrame.settle, u8((all ? 1 : 0) + (trust ? 2 : 0) + (check ? 4 : 0)));
  }

  /**
   * Hands each entry and chunk on, as fast as `put` takes them. `most`: of more it is given up, a replica as one that broke
   * the rules; a home has too much.
   */
  async changes(query: ChangesQuery, put: Put, most: MostAnswered = anyAnswer): Promise<ChangesDone> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.changes, encodeQuery(query));
      const over = this.role === 'home' ? overLimit : undefined;
      return this.#handOn(bounded(put, most, over));
    });
  }

  /** Hands on the blocks that the receiving carrier asked for by `want`. */
  async wanted(want: Buffer, put: Put): Promise<ChangesDone> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.want, want);
      return this.#handOn(bounded(put, mostOfWant(want)));
    });
  }

  /** What is put from here on is staged. */
  begin(options: BeginOptions): Promise<void> | undefined {
    this.#wanting = new Wanting();
    return this.#channel.write(CarrierFrame.begin, encodeBegin(options));
  }

  /** An entry or a chunk of another carrier, as it came. */
  put({ type, payload }: Frame): Promise<void> | undefined {
    if (type === CarrierFrame.entry) this.#wanting.entry(payload.length);
    // The other carrier could send gigabytes to one that is gone.
    return this.#channel.writable ? this.#channel.write(type, payload) : this.#lost();
  }

  /** A file in `kept` is put, as if it had come; it stays there. Only to home. */
  take(kept: string, path: Buffer): Promise<void> | undefined {
    this.#wanting.kept();
    return this.#channel.write(CarrierFrame.take, encodeTake(kept, path));
  }

  /** Looks at everything that was put; nothing has been moved. */
  async verify(): Promise<Verified> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.verify);
      const wants: Buffer[] = [];
      const mayWant = this.#wanting.bound();
      for (;;) {
        const { type, payload } = await this.#answer(CarrierFrame.want, CarrierFrame.checked);
        if (type === CarrierFrame.checked) return { wants, checked: parseChecked(payload) };
        if (!mayWant(payload)) throw this.#broken('wants more than it was sent');
        wants.push(Buffer.from(payload));
      }
    });
  }

  /** Moves what was checked into the tree. */
  async commit(): Promise<Applied> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.commit);
      const applied = parseApplied((await this.#answer(CarrierFrame.applied)).payload);
      if (this.role === 'replica') this.#told.late(replacedIn(applied));
      return applied;
    });
  }

  /** Drops what was put. */
  async abort(): Promise<CarrierState> {
    return this.#askState(CarrierFrame.abort);
  }

  /** Home has all that this replica sent last, but `not`; it is at this version of home. */
  async acknowledge(at: Version, not: readonly Buffer[] = []): Promise<CarrierState> {
    return this.#askState(CarrierFrame.acknowledge, encodeAcknowledge(at, not));
  }

  /** At most 512 KiB of a file of the tree, or of what is kept of refused changes. */
  async read(from: ReadFrom): Promise<Buffer> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.read, encodeRead(from));
      return Buffer.from((await this.#answer(CarrierFrame.bytes)).payload);
    });
  }

  /** Of a replica: the room on its disk; `all`: what it takes there, too, which may take minutes. */
  async measure({ all = false } = {}): Promise<Measured> {
    return this.#alone(async () => {
      await this.#channel.write(CarrierFrame.measure, u8(all ? 1 : 0));
      return parseMeasured((await this.#answer(CarrierFrame.measured)).payload);
    });
  }

  /** Of a replica: removes all that is in its tree, however deep. It is of no use then but to be removed. */
  async clear(): Promise<void> {
    await this.#askState(CarrierFrame.clear);
  }

  /** What was told once, and was not taken yet: files that were written too late; of a replica, what made room, too. */
  takeLate(): TakenLate {
    return this.#told.takeLate();
  }

  /** Changes that the kernel had not told of, found in the background since this was last called: a fault of either. */
  takeMissed(): number {
    return this.#told.takeMissed();
  }

  end(): void {
    this.#channel.end();
  }

  destroy(): void {
    this.#channel.destroy();
  }

  async #askState(
    type: number,
    payload?: Buffer,
    answer: number = CarrierFrame.state,
  ): Promise<CarrierState> {
    return this.#alone(async () => {
      await this.#channel.write(type, payload);
      return this.#state(answer);
    });
  }

  async #state(type: number): Promise<CarrierState> {
    const state = parseState((await this.#answer(type)).payload);
    this.#told.note(state);
    return state;
  }

  async #handOn(put: Put): Promise<ChangesDone> {
    for (;;) {
      const frame = await this.#answer(CarrierFrame.entry, CarrierFrame.chunk, CarrierFrame.done);
      if (frame.type === CarrierFrame.done) return parseDone(frame.payload);
      try {
        await put(frame);
      } catch (error) {
        await this.#dropRest();
        throw error;
      }
    }
  }

  /** Home cuts its answer short, and is asked again; a replica could go on for as long as it likes. */
  async #dropRest(): Promise<void> {
    this.#isMidway = true;
    if (this.role !== 'home') return;
    await this.#channel.write(CarrierFrame.abort);
    for (let left = droppedMost; left > 0; ) {
      const frame = await this.#answer(CarrierFrame.entry, CarrierFrame.chunk, CarrierFrame.done);
      left -= costOf(frame);
      if (frame.type !== CarrierFrame.done) continue;
      await this.#state(CarrierFrame.state);
      this.#isMidway = false;
      return;
    }
  }

  async #answer(...types: number[]): Promise<Frame> {
    const frame = await this.#channel.next();
    if (types.includes(frame.type)) return frame;
    if (frame.type === CarrierFrame.failed) throw carrierErrorOf(frame.payload, { isOver: false });
    const broken = this.#broken(`sent a frame of type ${frame.type}`);
    throw frame.type === CarrierFrame.refused ? carrierErrorOf(frame.payload, { isOver: true }) : broken;
  }

  /** Why it is gone is the last that it said. */
  async #lost(): Promise<void> {
    try {
      await this.#alone(() => this.#answer());
    } catch (error) {
      throw this.#named(new CarrierError('carrier-lost', (error as Error).message, { isOver: true }));
    }
  }

  /** An error of the other carrier, to which this one's frames were put, has its name already. */
  #named(error: unknown): unknown {
    if (error instanceof CarrierError) error.role ??= this.role;
    return error;
  }

  #broken(why: string): CarrierError {
    this.destroy();
    return new CarrierError('bad-answer', `the carrier ${why}`, { isOver: true });
  }

  async #alone<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#busy) throw new CarrierError('carrier-failed', 'the carrier is asked two things at a time');
    this.#busy = true;
    try {
      return await operation();
    } catch (error) {
      throw this.#named(
        error instanceof FrameError ? this.#broken(`broke the rules: ${error.message}`) : error,
      );
    } finally {
      this.#busy = false;
    }
  }
}
