/** The last bytes of what was added. */
export interface LastBytes {
  readonly add: (bytes: Uint8Array) => void;
  /** Oldest byte first. */
  readonly last: () => Buffer;
  /** Of all that was added. */
  readonly total: () => number;
}

/** One ring of `most` bytes, made with the first byte, however small the pieces are. */
export function createLastBytes(most: number): LastBytes {
  let ring: Buffer | undefined;
  let total = 0;
  return {
    add: (bytes) => {
      if (bytes.length === 0) return;
      ring ??= Buffer.alloc(most);
      const kept = bytes.subarray(-most);
      total += bytes.length;
      const at = (total - kept.length) % most;
      const untilWrap = kept.subarray(0, most - at);
      ring.set(untilWrap, at);
      ring.set(kept.subarray(untilWrap.length), 0);
    },
    last: () => {
      if (ring === undefined) return Buffer.alloc(0);
      const at = total > most ? total % most : 0;
      return Buffer.concat([ring.subarray(at, total), ring.subarray(0, at)]);
    },
    total: () => total,
  };
}
