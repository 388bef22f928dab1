import type { Input } from '../../../src/wire/execution-io.ts';
import { type Frame, FrameError, FrameType } from '../../../src/wire/frames.ts';

/** INT TERM HUP QUIT USR1 USR2 CONT TSTP */
const signals: ReadonlySet<number> = new Set([2, 15, 1, 3, 10, 12, 18, 20]);

export type ShimInput = Input | { readonly type: 'cancel' };

/** The input in a shim's frame. Throws a FrameError for every frame that a shim may not send. */
export function parseShimFrame({ type, payload }: Frame): ShimInput {
  switch (type) {
    case FrameType.cancel:
      expectLength(payload, 0, 'cancel');
      return { type: 'cancel' };
    case FrameType.stdin:
      return payload.length === 0 ? { type: 'stdin-end' } : { type: 'stdin', bytes: payload };
    case FrameType.signal:
      return { type: 'signal', signal: parseSignal(payload) };
    case FrameType.resize:
      expectLength(payload, 4, 'resize');
      return { type: 'resize', size: { cols: payload.readUInt16BE(0), rows: payload.readUInt16BE(2) } };
    case FrameType.closed:
      return { type: 'closed', fd: parseReader(payload) };
    default:
      throw new FrameError(`a frame of type ${type}`);
  }
}

function parseSignal(payload: Buffer): number {
  expectLength(payload, 1, 'signal');
  const signal = payload.readUInt8(0);
  if (!signals.has(signal)) throw new FrameError(`a signal frame with the number ${signal}`);
  return signal;
}

function parseReader(payload: Buffer): 1 | 2 {
  expectLength(payload, 1, 'closed');
  const fd = payload.readUInt8(0);
  if (fd !== 1 && fd !== 2) throw new FrameError(`a closed frame for descriptor ${fd}`);
  return fd;
}

function expectLength(payload: Buffer, length: number, what: string): void {
  if (payload.length !== length) throw new FrameError(`a ${what} frame of ${payload.length} bytes`);
}
