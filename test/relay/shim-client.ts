import { connect, type Socket } from 'node:net';
import { encodeFrame, FrameReader, FrameType, frameHeaderBytes } from '../../src/wire/frames.ts';

export interface ReceivedFrame {
  readonly type: number;
  readonly payload: Buffer;
}

/** The bytes of a shim, sent and received by hand. */
export class ShimClient {
  readonly socket: Socket;
  readonly acks: number[] = [];
  readonly frames: ReceivedFrame[] = [];
  /** Milliseconds from the connect. */
  readonly closed: Promise<number>;
  /** Receives the tool's stdout in place of `frames`; the bytes are a view. */
  onStdout: ((bytes: Buffer) => void) | undefined;
  readonly #reader = new FrameReader();
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.socket = connect({ path, allowHalfOpen: true });
    this.socket.on('error', () => {});
    const start = performance.now();
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve(performance.now() - start)));
    this.socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // Like a process that exits when it knows how the command ended.
    this.socket.on('end', () => this.socket.end());
  }

  request(fields: object | string): this {
    const body = Buffer.from(typeof fields === 'string' ? fields : JSON.stringify(fields));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    this.socket.write(Buffer.concat([length, body]));
    return this;
  }

  frame(type: number, payload?: Uint8Array): this {
    this.socket.write(encodeFrame(type, payload));
    return this;
  }

  async until(condition: () => boolean, withinMs = 5000): Promise<void> {
    for (const deadline = performance.now() + withinMs; !condition(); ) {
      if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms; ${this.describe()}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** The bytes that one descriptor got: 1 or 2. */
  output(fd: 1 | 2): string {
    return Buffer.concat(
      this.frames.filter(({ type }) => type === fd).map(({ payload }) => payload),
    ).toString();
  }

  get exit(): number[] | undefined {
    const last = this.frames.at(-1);
    return last?.type === 3 ? [...last.payload] : undefined;
  }

  describe(): string {
    return JSON.stringify({
      acks: this.acks,
      frames: this.frames.map(({ type, payload }) => [type, payload.toString('latin1').slice(0, 80)]),
    });
  }

  #read(chunk: Buffer): void {
    let rest: Buffer = Buffer.concat([this.#rest, chunk]);
    // Until the last ack, only acks (one byte each) and notices come.
    while (rest.length > 0 && !this.#decided && rest[0] !== FrameType.notice) {
      this.acks.push(rest.readUInt8(0));
      rest = rest.subarray(1);
    }
    if (!this.#decided) rest = this.#takeNotice(rest);
    if (this.#decided) this.#keep(this.#reader.push(rest));
    this.#rest = this.#decided ? Buffer.alloc(0) : rest;
  }

  #takeNotice(rest: Buffer): Buffer {
    if (rest.length < frameHeaderBytes) return rest;
    const end = frameHeaderBytes + rest.readUInt32BE(1);
    if (rest.length < end) return rest;
    this.#keep([{ type: rest.readUInt8(0), payload: rest.subarray(frameHeaderBytes, end) }]);
    this.#rest = Buffer.alloc(0);
    this.#read(rest.subarray(end));
    return Buffer.alloc(0);
  }

  get #decided(): boolean {
    return this.acks.length > 0 && this.acks.at(-1) !== 2;
  }

  #keep(frames: readonly ReceivedFrame[]): void {
    for (const { type, payload } of frames) {
      if (type === FrameType.stdout && this.onStdout !== undefined) this.onStdout(payload);
      else this.frames.push({ type, payload: Buffer.from(payload) });
    }
  }
}
