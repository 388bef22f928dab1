import { FrameError } from '../wire/frames.ts';

/** Of Linux, without its end. */
const longestPath = 4095;

/** Reads a payload in order; what is missing throws `FrameError`. Buffers are copies. */
export class PayloadReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  bytes(length: number): Buffer {
    if (length > this.left) throw new FrameError('a frame of a carrier is too short');
    const taken = Buffer.from(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return taken;
  }

  u8(): number {
    return this.bytes(1).readUInt8(0);
  }

  u16(): number {
    return this.bytes(2).readUInt16BE(0);
  }

  u32(): number {
    return this.bytes(4).readUInt32BE(0);
  }

  u64(): bigint {
    return this.bytes(8).readBigUInt64BE(0);
  }

  /** What carriers count is far below 2^53: more cannot be, and no list could show it. */
  count(): number {
    const value = this.u64();
    if (value > Number.MAX_SAFE_INTEGER)
      throw new FrameError('a frame of a carrier has a number that cannot be');
    return Number(value);
  }

  /** `u16 length` and the bytes, which need not be UTF-8. Carriers know no longer ones, and people are told of them. */
  path(): Buffer {
    const length = this.u16();
    if (length > longestPath) throw new FrameError('a frame of a carrier has a path that cannot be');
    return this.bytes(length);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  end(): void {
    if (this.left > 0) throw new FrameError('a frame of a carrier is too long');
  }
}

export function u8(value: number): Buffer {
  return Buffer.of(value);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(value, 0);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

export function u64(value: bigint | number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value), 0);
  return bytes;
}

export function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u16(bytes.length), bytes]);
}
