import type { CarrierProcess } from './carrier-process.ts';

/** Where in a frame it is cut: nothing of it comes, a part, or all of it and nothing more. */
export type CutAt = 'before' | 'within' | 'after';

export interface Cut {
  /** The n-th frame to or from any of the carriers, from 0. */
  readonly frame: number;
  readonly at: CutAt;
  /** The carrier whose frame it is ends, or only its link. */
  readonly how: 'kill' | 'link';
}

const headerBytes = 5;

/** Counts the frames to and from carriers, and cuts one of them. From then on nothing comes through that link. */
export class FrameCutter {
  frames = 0;
  /** Whose frame was cut, and whether it was `to` or `from` it; nothing if the frame never came. */
  cut: { readonly carrier: CarrierProcess; readonly direction: 'to' | 'from' } | undefined;
  readonly #cut: Cut | undefined;

  constructor(carriers: readonly CarrierProcess[], cut?: Cut) {
    this.#cut = cut;
    for (const carrier of carriers) {
      this.#watchTo(carrier);
      this.#watchFrom(carrier);
    }
  }

  #watchTo(carrier: CarrierProcess): void {
    const { stream, child } = carrier;
    const write = stream.write.bind(stream) as (bytes: Buffer) => boolean;
    stream.write = (bytes: Buffer) => {
      const most = this.#passes(bytes.length);
      if (most === undefined) return write(bytes);
      if (most > 0) child.stdin?.write(bytes.subarray(0, most));
      this.#end(carrier, 'to');
      return true;
    };
  }

  /** Chunks are not frames: their headers are followed. */
  #watchFrom(carrier: CarrierProcess): void {
    const { stream } = carrier;
    const push = stream.push.bind(stream);
    let held = Buffer.alloc(0);
    let over = false;
    stream.push = (chunk: Buffer | null) => {
      if (over || chunk === null) return push(chunk);
      held = Buffer.concat([held, chunk]);
      while (held.length >= headerBytes && held.length >= headerBytes + held.readUInt32BE(1)) {
        const length = headerBytes + held.readUInt32BE(1);
        const frame = held.subarray(0, length);
        held = held.subarray(length);
        const most = this.#passes(length);
        if (most === undefined) {
          push(frame);
          continue;
        }
        over = true;
        push(frame.subarray(0, most));
        this.#end(carrier, 'from');
        return false;
      }
      return true;
    };
  }

  /** How many bytes of the frame still come, if it is the one. */
  #passes(length: number): number | undefined {
    if (this.frames++ !== this.#cut?.frame) return undefined;
    return { before: 0, within: Math.floor(length / 2), after: length }[this.#cut.at];
  }

  #end(carrier: CarrierProcess, direction: 'to' | 'from'): void {
    this.cut = { carrier, direction };
    if (this.#cut?.how === 'kill') carrier.child.kill('SIGKILL');
    else carrier.child.stdin?.end();
    // The caller hears of it once what came before is read.
    setImmediate(() => carrier.stream.destroy());
  }
}
