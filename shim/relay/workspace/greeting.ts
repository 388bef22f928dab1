import type { Readable } from 'node:stream';
import { carrierErrorOf } from '../../../src/carrier-client/carrier-error.ts';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import { type Frame, FrameError, FrameReader } from '../../../src/wire/frames.ts';

/** Before its greeting, which may be as long as a frame, a carrier says every 5 s at most that it works. */
const mostWorking = 64 * 1024;

/**
 * What a carrier says first but that it works, once it has looked at its tree: empty for `ready`, or why it is of no
 * use. Its bytes stay to be read. `undefined` if it ended without a word.
 */
export async function readGreeting(output: Readable): Promise<string | undefined> {
  const frame = await peekFrame(output);
  if (frame === undefined || frame.type === CarrierFrame.ready) return frame && '';
  if (frame.type === CarrierFrame.refused) return carrierErrorOf(frame.payload, { isOver: true }).message;
  return `the carrier began with a frame of type ${frame.type}`;
}

async function peekFrame(output: Readable): Promise<Frame | undefined> {
  const reader = new FrameReader();
  let seen = Buffer.alloc(0);
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    const frame = reader.push(chunk as Buffer).find(({ type }) => type !== CarrierFrame.working);
    seen = Buffer.concat([seen, chunk as Buffer]);
    if (frame !== undefined) {
      output.unshift(seen);
      return frame;
    }
    if (seen.length - reader.pending > mostWorking) throw new FrameError('the carrier works without an end');
  }
  return undefined;
}
