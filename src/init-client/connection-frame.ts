import { type Frame, FrameType } from '../wire/frames.ts';

const mostConnections = 64;

/** Whether a frame is about a connection of a way out, and of its form. */
export function isConnectionFrame({ type, payload }: Frame): boolean {
  switch (type) {
    case FrameType.opened:
      return payload.length >= 1 && payload.length <= 2 && isNumber(payload) && (payload[1] ?? 0) <= 1;
    case FrameType.finished:
    case FrameType.gone:
      return payload.length === 1 && isNumber(payload);
    case FrameType.carried:
      return payload.length > 1 && isNumber(payload);
    case FrameType.room:
      return payload.length === 5 && isNumber(payload);
    default:
      return false;
  }
}

function isNumber(payload: Buffer): boolean {
  return payload.readUInt8(0) < mostConnections;
}
