import { BinaryReader } from '@bufbuild/protobuf/wire';

/** Bytes that are no message of their kind, or one of more values than any. */
export class Undecodable extends Error {
  override name = 'Undecodable';
  /** So many were read before that was seen. */
  readonly values: number;

  constructor(text: string, values: number) {
    super(text);
    this.values = values;
  }
}

export interface Decoded<T> {
  readonly message: T;
  /** Those of every depth, and those that nobody knows. */
  readonly values: number;
}

/**
 * What generated code makes of a message; `decode` is its function. Throws an `Undecodable`, at the first value that is
 * too many or broken.
 */
export function decodeFew<T>(bytes: Uint8Array, most: number, decode: (bytes: Buffer) => T): Decoded<T> {
  const reader = new CountingReader(bytes, most);
  // Generated functions hand on what they get to `decode` of their message, which takes a reader, too.
  try {
    const message = decode(reader as unknown as Buffer);
    return { message, values: reader.values };
  } catch (error) {
    if (error instanceof Undecodable) throw error;
    throw new Undecodable('a message that cannot be decoded', reader.values);
  }
}

/** `uint32` reads a tag, and a length or a number behind it, also of what is skipped. Few values have one read less. */
const readsOfValue = 2;

class CountingReader extends BinaryReader {
  #reads = 0;

  constructor(bytes: Uint8Array, most: number) {
    super(bytes);
    const mostReads = readsOfValue * most;
    const read = this.uint32;
    // The base class makes it a property of each reader.
    this.uint32 = () => {
      this.#reads += 1;
      if (this.#reads > mostReads) throw new Undecodable(`a message of more than ${most} values`, most);
      return read.call(this);
    };
  }

  get values(): number {
    return Math.ceil(this.#reads / readsOfValue);
  }
}
