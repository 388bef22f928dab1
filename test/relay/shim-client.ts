import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { encodeFrame, FrameReader } from '../../src/frames.ts';

export interface ReceivedFrame {
  readonly type: number;
  readonly payload: Buffer;
}

/** The bytes of a shim, sent and received by hand. */
export class ShimClient {
  readonly socket: Socket;
  readonly acks: number[] = [];
  readonly frames: ReceivedFrame[] = [];
  readonly closed: Promise<number>;
  readonly #reader = new FrameReader();

  constructor(path: string) {
    this.socket = connect({ path, allowHalfOpen: true });
    this.socket.on('error', () => {});
    const start = performance.now();
    this.closed = once(this.socket, 'close').then(() => performance.now() - start);
    this.socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // Like a process that exits when it has been told how the command ended.
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

  /** What one descriptor got: 1 or 2. */
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
    let rest = chunk;
    // An ack is one byte, and no frame has a type below 4 before the last one is there.
    while (rest.length > 0 && (this.acks.length === 0 || (this.acks.at(-1) === 2 && (rest[0] ?? 9) < 4))) {
      this.acks.push(rest.readUInt8(0));
      rest = rest.subarray(1);
    }
    for (const frame of this.#reader.push(rest))
      this.frames.push({ ...frame, payload: Buffer.from(frame.payload) });
  }
}
