import { crumbBytes } from '../crumb-budgets.ts';
import { type Frame, FrameType } from '../wire/frames.ts';

/** What is parsed and joined to other output costs so much less than what is passed on. */
const parsedPart = 1 / 16;
/** Pieces of an ordinary size are paid for by their bytes. */
const bytesOfPiece = 2048;

const carriers: ReadonlySet<number> = new Set([FrameType.stdout, FrameType.stderr, FrameType.carried]);

/** In small messages: what `frames` cost, which were `pieces` in `bytes` of the stream. */
export function frameCost(frames: readonly Frame[], pieces: number, bytes: number): number {
  const crumbs = frames.filter((frame) => carriedBy(frame) < crumbBytes).length;
  return crumbs + costOfPieces(pieces, bytes);
}

/** The same of `pieces` that are only taken apart. */
export function costOfPieces(pieces: number, bytes: number): number {
  return Math.max(0, pieces - bytes / bytesOfPiece) * parsedPart;
}

/** Bytes of the tool's input, output or connections that it is about. */
function carriedBy({ type, payload }: Frame): number {
  if (type === FrameType.credit) return payload.readUInt32BE(0);
  if (type === FrameType.room) return payload.readUInt32BE(1);
  return carriers.has(type) ? payload.length : 0;
}
