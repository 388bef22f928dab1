import type { Output } from '../wire/execution-io.ts';
import { type Frame, FrameType } from '../wire/frames.ts';

/** What a frame of an init brings to the caller; undefined if it is not for the caller. */
export function decodeOutput(frame: Frame): Output | undefined {
  const { payload } = frame;
  switch (frame.type) {
    case FrameType.stdout:
      return { type: 'stdout', bytes: payload };
    case FrameType.stderr:
      return { type: 'stderr', bytes: payload };
    case FrameType.credit:
      return { type: 'credit', bytes: payload.readUInt32BE(0) };
    case FrameType.closed:
      return { type: 'closed', fd: 0 };
    case FrameType.stopped:
      return { type: 'stopped', signal: payload.readUInt8(0) };
    case FrameType.unread:
      return { type: 'unread', bytes: payload.readUInt32BE(0) };
    default:
      return undefined;
  }
}
