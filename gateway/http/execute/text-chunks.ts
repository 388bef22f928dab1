import { isUtf8 } from 'node:buffer';

/** Bytes as they stand in JSON. */
export interface Encoded {
  readonly data: string;
  readonly encoding: 'utf-8' | 'base64';
}

export function encoded(bytes: Uint8Array): Encoded {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(bytes)) return { data: buffer.toString('utf8'), encoding: 'utf-8' };
  return { data: buffer.toString('base64'), encoding: 'base64' };
}

/** Chunks of one stream: a character that a border cuts waits for its rest, so that text stays text. */
export interface TextChunks {
  /** Undefined if all of it waits. */
  readonly next: (bytes: Uint8Array) => Encoded | undefined;
  /** What still waits. */
  readonly rest: () => Encoded | undefined;
}

export function createTextChunks(): TextChunks {
  let held = Buffer.alloc(0);
  return {
    next: (bytes) => {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const cut = isUtf8(all) ? 0 : unfinished(all);
      const isText = cut > 0 && isUtf8(all.subarray(0, all.length - cut));
      // A copy: the bytes are a view of what was received.
      held = isText ? Buffer.from(all.subarray(all.length - cut)) : Buffer.alloc(0);
      const whole = all.subarray(0, all.length - held.length);
      return whole.length === 0 ? undefined : encoded(whole);
    },
    rest: () => {
      const left = held;
      held = Buffer.alloc(0);
      return left.length === 0 ? undefined : encoded(left);
    },
  };
}

/** How many bytes at the end begin a character and do not end it; 0 to 3. */
export function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
