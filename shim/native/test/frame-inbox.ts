import type { Readable } from 'node:stream';
import { type Frame, FrameReader, type FrameType } from '../../../src/wire/frames.ts';

const waitMs = 10_000;

/** The frames that arrive on a stream, in order, for a test to check. */
export class FrameInbox {
  readonly frames: Frame[] = [];
  ended = false;
  #wake: (() => void)[] = [];
  readonly #reader = new FrameReader();

  constructor(stream?: Readable) {
    stream?.on('data', (chunk: Buffer) => this.push(chunk));
    stream?.on('end', () => this.end());
    stream?.on('error', () => this.end());
  }

  push(chunk: Buffer): void {
    for (const { type, payload } of this.#reader.push(chunk)) {
      this.frames.push({ type, payload: Buffer.from(payload) });
    }
    this.#notify();
  }

  end(): void {
    this.ended = true;
    this.#notify();
  }

  /** The payloads of one type, joined. */
  bytes(type: FrameType): Buffer {
    return Buffer.concat(this.frames.filter((frame) => frame.type === type).map(({ payload }) => payload));
  }

  /** Resolves when `condition` holds; rejects after 10 s, or if the stream ends first. */
  async until(condition: () => boolean, what = 'what was waited for'): Promise<void> {
    const deadline = Date.now() + waitMs;
    while (!condition()) {
      const left = deadline - Date.now();
      if (this.ended || left <= 0) {
        throw new Error(`${what} did not come; got ${JSON.stringify(this.frames.map(({ type }) => type))}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** The first frame of `type` from `index` on. */
  async first(type: FrameType, index = 0): Promise<Frame> {
    const find = () => this.frames.find((frame, at) => at >= index && frame.type === type);
    await this.until(() => find() !== undefined, `a frame of type ${type}`);
    return find() as Frame;
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }
}
