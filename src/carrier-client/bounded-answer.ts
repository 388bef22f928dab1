import { type Frame, FrameError } from '../wire/frames.ts';
import { CarrierError } from './carrier-error.ts';
import { CarrierFrame } from './carrier-frame.ts';

export type Put = (frame: Frame) => Promise<void> | undefined;

/** What one answer may have. */
export interface MostAnswered {
  readonly entries: number;
  /** Of all chunks. */
  readonly bytes: number;
}

export const anyAnswer: MostAnswered = { entries: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** Of a block, with what its chunks cost beside their bytes. */
const blockBytes = 1024 * 1024 + 4096;

/** Each block takes four bytes of the want. */
export function mostOfWant(want: Buffer): MostAnswered {
  return { entries: 0, bytes: (want.length / 4) * blockBytes };
}

/** What is gone and what is there can be as much as a workspace each; a chunk costs a little beside its bytes. */
export function mostOfWorkspace(limits: { readonly entries: number; readonly bytes: number }): MostAnswered {
  return { entries: 2 * limits.entries, bytes: limits.bytes + limits.entries * 4096 };
}

/** What a frame costs at least, however little is in it. */
const frameCost = 256;

export function costOf({ payload }: Frame): number {
  return Math.max(payload.length, frameCost);
}

/** `put` of an answer that ends: a carrier that goes on behind `most` breaks the rules, unless `over` says what else it is. */
export function bounded(put: Put, most: MostAnswered, over = tooLarge): Put {
  let { entries, bytes } = most;
  return (frame) => {
    if (frame.type === CarrierFrame.entry) entries -= 1;
    else bytes -= costOf(frame);
    if (entries < 0 || bytes < 0) throw over();
    return put(frame);
  };
}

const larger = 'its answer is larger than a workspace may be';

function tooLarge(): Error {
  return new FrameError(larger);
}

/** A home may have more than may be carried: that ends the exchange, and not the carrier. */
export function overLimit(): Error {
  return new CarrierError('workspace-limit', larger);
}

/** Of one answer to `verify`, and what each want costs beside its bytes: a tree of the most entries has less. */
const wantsMost = 128 * 1024 * 1024;
const wantCost = 128;

/** Of what is kept: a path, and the numbers of all blocks of the largest file. */
const longestWant = 128 * 1024;

/**
 * What a carrier was sent since `begin`, and so may want: each entry once, by fewer bytes than the entry has, which names
 * the path and the ids of all blocks. A carrier could ask slowly for more, and it would be held until the exchange ends.
 */
export class Wanting {
  #entries = 0;
  #bytes = 0;

  entry(bytes: number): void {
    this.#entries += 1;
    this.#bytes += bytes;
  }

  /** A file that is not sent, but kept where it is wanted. */
  kept(): void {
    this.entry(longestWant);
  }

  /** Whether a want of one answer is among those. */
  bound(): (want: Buffer) => boolean {
    let entries = this.#entries;
    let bytes = this.#bytes;
    let cost = wantsMost;
    return (want) => {
      entries -= 1;
      bytes -= want.length;
      cost -= want.length + wantCost;
      return entries >= 0 && bytes >= 0 && cost >= 0;
    };
  }
}
