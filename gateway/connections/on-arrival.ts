import type { Readable } from 'node:stream';

/**
 * Calls `take` with each chunk that comes for a stream, also while nothing reads it. What it returns waits to be read.
 */
export function onArrival(stream: Readable, take: (chunk: Buffer) => Buffer | undefined): void {
  const push = stream.push.bind(stream);
  // Node calls it for each piece of content, whether the stream flows or not; no event tells of one that waits.
  stream.push = (chunk: Buffer | null) => {
    if (chunk === null) return push(null);
    const taken = take(chunk);
    return taken !== undefined && push(taken);
  };
}

/** Bytes in memory of their own if they would keep much more of what was read with them. */
export function ownBytes(bytes: Buffer): Buffer {
  if (2 * bytes.length >= bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
