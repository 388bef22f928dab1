import type { Input } from '../wire/execution-io.ts';
import { encodeFrame, FrameType } from '../wire/frames.ts';

/** One input as the frame that shim, relay and init share. */
export function encodeInput(input: Input): Buffer {
  switch (input.type) {
    case 'stdin':
      return encodeFrame(FrameType.stdin, input.bytes);
    case 'stdin-end':
      return encodeFrame(FrameType.stdin);
    case 'signal':
      return encodeFrame(FrameType.signal, Uint8Array.of(input.signal));
    case 'closed':
      return encodeFrame(FrameType.closed, Uint8Array.of(input.fd));
    case 'resize': {
      const size = Buffer.allocUnsafe(4);
      size.writeUInt16BE(input.size.cols, 0);
      size.writeUInt16BE(input.size.rows, 2);
      return encodeFrame(FrameType.resize, size);
    }
  }
}
