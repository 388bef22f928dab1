import { BinaryReader } from '@bufbuild/protobuf/wire';

/** A message has more values than any of its kind. */
export class TooManyValues extends Error {
  override name = 'TooManyValues';
  readonly most: number;

  constructor(most: number) {
    super(`a message of more than ${most} values`);
    this.most = most;
  }
}

export interface Decoded<T> {
  readonly message: T;
  /** Those of every depth, and those that nobody knows. */
  readonly values: number;
}

/** What generated code makes of a message; `decode` is its function. Throws at the first value that is too many. */
export function decodeFew<T>(bytes: Uint8Array, most: number, decode: (bytes: Buffer) => T): Decoded<T> {
  const reader = new CountingReader(bytes, most);
  // Generated functions hand on what they get to `decode` of their message, which takes a reader, too.
  const message = decode(reader as unknown as Buffer);
  return { message, values: reader.values };
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
      if (this.#reads > mostReads) throw new TooManyValues(most);
      return read.call(this);
    };
  }

  get values(): number {
    return Math.ceil(this.#reads / readsOfValue);
  }
}
