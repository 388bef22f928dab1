import type { FirstOutput } from '../ports/detached.ts';

/** What is kept of a stream: one piece from its beginning, and of a longer one another piece up to its end. */
export interface KeptOutput {
  /** Of the whole stream; undefined if nobody knows. */
  readonly total: number | undefined;
  readonly head: Buffer;
  readonly tail: { readonly from: number; readonly bytes: Buffer } | undefined;
}

export function keptOutput({ bytes, truncated, tail }: FirstOutput): KeptOutput {
  if (tail === undefined) return { total: truncated ? undefined : bytes.length, head: bytes, tail };
  const total = tail.from + tail.bytes.length;
  if (tail.from === bytes.length) return { total, head: Buffer.concat([bytes, tail.bytes]), tail: undefined };
  return { total, head: bytes, tail };
}

/** How long it is. */
export function lengthText({ total, head }: KeptOutput): string {
  return total === undefined
    ? `${head.length} bytes (the program wrote more, which is not kept)`
    : `${total} bytes`;
}
