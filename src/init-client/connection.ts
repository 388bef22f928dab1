import { Duplex } from 'node:stream';

/** Bytes of one connection on their way from the init, and to it; `docs/protocol.md`. */
export const windowUp = 64 * 1024;
export const windowDown = 256 * 1024;
const leastRoom = windowUp / 4;
const longestPiece = 64 * 1024;
/** Pieces that wait are joined up to this: a window of single bytes would be 65,536 of them. */
const joinedBytes = 1024;

/** What a connection has its init told. */
export interface Teller {
  readonly carry: (bytes: Buffer) => void;
  readonly room: (bytes: number) => void;
  readonly finish: () => void;
  readonly gone: () => void;
  /** It has something to carry: `carryPiece` is to be called when the stream to the init takes more. */
  readonly waits: () => void;
}

/** One connection of a tool, over the stream of its init. Holds no more than its windows. */
export class Connection extends Duplex {
  readonly #tell: Teller;
  #credit = windowDown;
  #writing: { readonly bytes: Buffer; readonly done: () => void } | undefined;
  /** What came and was not read yet; `null` is the end. */
  readonly #came: (Buffer | null)[] = [];
  #wants = false;
  #unread = 0;
  #owed = 0;
  #isFinished = false;
  /** Each side says so once. */
  #isGone = false;

  constructor(tell: Teller) {
    super({ allowHalfOpen: true, emitClose: true, readableHighWaterMark: 16 * 1024 });
    this.#tell = tell;
    // Who serves it hears of an error by its close.
    this.on('error', () => {});
  }

  /** False if the init had no credit for it, or had finished. */
  came(bytes: Buffer): boolean {
    this.#unread += bytes.length;
    if (this.#isFinished || this.#unread + this.#owed > windowUp) return false;
    this.#keep(bytes);
    this.#hand();
    return true;
  }

  /** False if it had finished. */
  finished(): boolean {
    if (this.#isFinished) return false;
    this.#isFinished = true;
    this.#came.push(null);
    this.#hand();
    return true;
  }

  /** False if that is more than the init can hold. */
  credited(bytes: number): boolean {
    this.#credit += bytes;
    if (bytes === 0 || this.#credit > windowDown) return false;
    this.#carryOn();
    return true;
  }

  /** The client is gone. What it sent before its end is still read. */
  gone(): void {
    const isWhole = this.#isFinished && this.writableFinished;
    if (!isWhole) this.destroy(new Error('the connection was reset'));
  }

  /** Writes one piece. Returns whether it could write more. */
  carryPiece(): boolean {
    if (this.#writing === undefined || this.#credit === 0) return false;
    const { bytes, done } = this.#writing;
    const piece = bytes.subarray(0, Math.min(this.#credit, longestPiece));
    this.#credit -= piece.length;
    this.#tell.carry(piece);
    const rest = bytes.subarray(piece.length);
    this.#writing = rest.length === 0 ? undefined : { bytes: rest, done };
    if (rest.length === 0) done();
    return rest.length > 0 && this.#credit > 0;
  }

  override _read(): void {
    this.#wants = true;
    this.#hand();
  }

  /** Node does not ask by `_read` again for what was held back. */
  override read(size?: number): unknown {
    const bytes: unknown = super.read(size);
    this.#hand();
    return bytes;
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    // An HTTP response may end with an empty piece; a frame without a byte breaks the protocol.
    if (bytes.length === 0) return done();
    this.#writing = { bytes, done };
    this.#carryOn();
  }

  override _final(done: () => void): void {
    if (!this.#isGone) this.#tell.finish();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#came.length = 0;
    this.#writing = undefined;
    if (!this.#isGone) this.#tell.gone();
    this.#isGone = true;
    done(error);
  }

  #carryOn(): void {
    if (this.#writing !== undefined && this.#credit > 0) this.#tell.waits();
  }

  /** Copies them: they are a view into a chunk of other connections. */
  #keep(bytes: Buffer): void {
    const last = this.#came.at(-1);
    if (last && last.length + bytes.length <= joinedBytes) {
      this.#came.pop();
      this.#came.push(Buffer.concat([last, bytes]));
    } else this.#came.push(Buffer.from(bytes));
  }

  #hand(): void {
    while (this.#wants && this.#isDue()) {
      const bytes = this.#came.shift() ?? null;
      // A reader that asks for more meanwhile says so by `_read`.
      this.#wants = false;
      if (this.push(bytes)) this.#wants = true;
      if (bytes !== null) this.#release(bytes.length);
    }
  }

  /** A small piece stays here, to be joined, while its reader has another one. */
  #isDue(): boolean {
    const [next] = this.#came;
    if (next === undefined) return false;
    return next === null || next.length >= joinedBytes || this.readableLength === 0;
  }

  #release(bytes: number): void {
    this.#unread -= bytes;
    this.#owed += bytes;
    if (this.#owed < leastRoom || this.#isFinished || this.#isGone) return;
    this.#tell.room(this.#owed);
    this.#owed = 0;
  }
}
