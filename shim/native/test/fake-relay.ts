import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { encodeFrame, FrameType } from '../../../src/wire/frames.ts';
import { FrameInbox } from './frame-inbox.ts';

export interface ShimRequest {
  readonly v: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: readonly string[];
  readonly identity: { readonly uid: number; readonly gid: number };
  readonly umask: number;
  readonly stdio: readonly string[];
  readonly ignored: readonly number[];
  readonly blocked?: readonly number[];
  readonly tty?: { readonly cols: number; readonly rows: number };
}

/** The relay's end of a Unix socket, controlled by a test: it sends only what the test tells it to. */
export class FakeRelay {
  readonly path: string;
  readonly #server: Server;
  readonly #accepted: RelayConnection[] = [];
  #wanted: ((connection: RelayConnection) => void)[] = [];

  private constructor(path: string, server: Server) {
    this.path = path;
    this.#server = server;
    server.on('connection', (socket) => this.#take(new RelayConnection(socket)));
  }

  static async listen(path: string): Promise<FakeRelay> {
    rmSync(path, { force: true });
    const server = createServer({ allowHalfOpen: true });
    const relay = new FakeRelay(path, server);
    server.listen(path);
    await once(server, 'listening');
    return relay;
  }

  /** The next shim that connects. */
  async next(): Promise<RelayConnection> {
    const waiting = this.#accepted.shift();
    if (waiting !== undefined) return waiting;
    return await new Promise((resolve) => this.#wanted.push(resolve));
  }

  /** How many shims have connected that no test asked for. */
  get unclaimed(): number {
    return this.#accepted.length;
  }

  #take(connection: RelayConnection): void {
    const wanted = this.#wanted.shift();
    if (wanted === undefined) this.#accepted.push(connection);
    else wanted(connection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#accepted) socket.destroy();
    this.#server.close();
  }
}

export class RelayConnection {
  readonly socket: Socket;
  /** The bytes after the request. */
  readonly inbox = new FrameInbox();
  readonly #request: Promise<ShimRequest>;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => this.inbox.end());
    socket.on('end', () => this.inbox.end());
    this.#request = this.#receive();
    this.#request.catch(() => {});
  }

  /** Rejects if the shim goes away before the request is complete. */
  request(): Promise<ShimRequest> {
    return this.#request;
  }

  /** Reads the request and answers it. */
  async answer(...acks: number[]): Promise<ShimRequest> {
    const request = await this.#request;
    this.write(Uint8Array.from(acks));
    return request;
  }

  write(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  send(type: number, payload: Uint8Array = new Uint8Array()): void {
    this.write(encodeFrame(type, payload));
  }

  credit(bytes: number): void {
    this.#sendNumber(FrameType.credit, bytes);
  }

  unread(bytes: number): void {
    this.#sendNumber(FrameType.unread, bytes);
  }

  /** Sends the last frame and ends the connection. */
  exit(code: number, signal = 0): void {
    this.send(FrameType.exit, Uint8Array.of(code, signal));
    this.socket.end();
  }

  /** All stdin so far. */
  get stdin(): Buffer {
    return this.inbox.bytes(FrameType.stdin);
  }

  get stdinEnded(): boolean {
    return this.inbox.frames.some(({ type, payload }) => type === FrameType.stdin && payload.length === 0);
  }

  #sendNumber(type: number, number: number): void {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(number);
    this.send(type, payload);
  }

  #receive(): Promise<ShimRequest> {
    let received = Buffer.alloc(0);
    return new Promise((resolve, reject) => {
      const take = (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const end = received.length < 4 ? Number.POSITIVE_INFINITY : 4 + received.readUInt32BE(0);
        if (received.length < end) return;
        this.socket.off('data', take);
        this.socket.on('data', (more: Buffer) => this.inbox.push(more));
        if (received.length > end) this.inbox.push(received.subarray(end));
        // Fatal: a text that is not UTF-8 must not get this far.
        const text = new TextDecoder('utf-8', { fatal: true }).decode(received.subarray(4, end));
        resolve(JSON.parse(text) as ShimRequest);
      };
      this.socket.on('data', take);
      this.socket.on('end', () => reject(new Error('the shim went away before its request was complete')));
    });
  }
}
