import { type Frame, FrameError } from '../wire/frames.ts';
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

/** `put` of an answer that ends: a carrier that goes on behind `most` breaks the rules. */
export function bounded(put: Put, most: MostAnswered): Put {
  let { entries, bytes } = most;
  return (frame) => {
    if (frame.type === CarrierFrame.entry) entries -= 1;
    else bytes -= frame.payload.length;
    if (entries < 0 || bytes < 0) throw new FrameError('its answer is larger than a workspace may be');
    return put(frame);
  };
}
