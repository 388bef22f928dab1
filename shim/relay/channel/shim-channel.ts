import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { drained } from '../../../src/drained.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { escapeUnprintable } from '../../../src/text/render-text.ts';
import type { Input, Output } from '../../../src/wire/execution-io.ts';
import {
  encodeFrameHeader,
  type Frame,
  FrameError,
  FrameReader,
  FrameType,
} from '../../../src/wire/frames.ts';
import { lastOfEach } from './last-of-each.ts';
import { closeGently, endLine, exitPayload, refuseShim } from './shim-end.ts';
import { parseShimFrame, type ShimInput } from './shim-input.ts';

export const Ack = { allowed: 0, denied: 1, pending: 2, runOriginal: 3 } as const;
export type Ack = (typeof Ack)[keyof typeof Ack];

export type ToShim = Output | { readonly type: 'notice'; readonly text: string };

type InputHandler = (input: Input) => Promise<void> | undefined;

const maxEarlyInputs = 16;
/** A resize. */
const longestControl = 4;
/** After so many frames everybody else has a turn. */
const framesInTurn = 64;

/**
 * One shim's connection after its request: acks and frames out, inputs in. Reads at once, so that it sees a cancel or
 * a hang-up whatever else waits. Sends nothing twice, and nothing after the end.
 */
export class ShimChannel {
  readonly #socket: Socket;
  readonly #version: number;
  readonly #abort = new AbortController();
  /** Nothing is kept of stdin that there is no credit for: its header ends the connection. */
  readonly #reader = new FrameReader(() => Math.max(longestControl, this.#credit));
  readonly #waitBefore: (frames: readonly Frame[]) => number;
  /** While there are any, nothing is read. */
  #pauses = 0;
  #ack: Ack | undefined;
  #credit = 0;
  #stdinEnded = false;
  #unreadSent = false;
  #finished = false;
  #early: Input[] = [];
  #handler: InputHandler | undefined;

  /**
   * `version` is that of the shim's request. `waitBefore` charges these frames, and returns for how many milliseconds
   * they wait.
   */
  constructor(socket: Socket, version: number, waitBefore: (frames: readonly Frame[]) => number) {
    this.#waitBefore = waitBefore;
    this.#socket = socket;
    this.#version = version;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => this.#hungUp());
    socket.on('close', () => this.#hungUp());
    // It may have ended while its request waited to be parsed.
    if (socket.destroyed) this.#hungUp();
    socket.resume();
  }

  /** Aborts with `canceled` if the shim asks for it, with `requester-gone` if it hangs up. */
  get gone(): AbortSignal {
    return this.#abort.signal;
  }

  cancel(reason: ClawrdenError): void {
    this.#abort.abort(reason);
  }

  /** From now on inputs go to `handler`, after the earlier ones. While it waits nothing is read. */
  listen(handler: InputHandler): void {
    this.#handler = handler;
    for (const input of this.#early.splice(0)) this.#deliver(input);
  }

  /** Sends `pending` at most once, then one of the others; a repeated ack is not sent. */
  ack(ack: Ack): undefined {
    if (this.#ack === ack || this.#decided) return;
    this.#ack = ack;
    this.#socket.write(Uint8Array.of(ack));
    if (ack === Ack.runOriginal) this.#end();
    return undefined;
  }

  send(output: ToShim): Promise<void> | undefined {
    switch (output.type) {
      case 'stdout':
        return this.#frame(FrameType.stdout, output.bytes);
      case 'stderr':
        return this.#frame(FrameType.stderr, output.bytes);
      case 'credit':
        this.#credit += output.bytes;
        return this.#frame(FrameType.credit, uint32(output.bytes));
      case 'closed':
        return this.#frame(FrameType.closed, Uint8Array.of(output.fd));
      case 'stopped':
        return this.#frame(FrameType.stopped, Uint8Array.of(output.signal));
      case 'unread':
        this.#unreadSent = true;
        return this.#frame(FrameType.unread, uint32(output.bytes));
      case 'notice':
        return this.#frame(FrameType.notice, Buffer.from(escapeUnprintable(output.text)));
    }
  }

  /** Ends the conversation, in any state. */
  finish(outcome: Outcome): void {
    if (this.#finished) return;
    if (!this.#decided && 'reason' in outcome && outcome.kind === 'denied') {
      this.#finished = true;
      return refuseShim(this.#socket, new ClawrdenError(outcome.reason, outcome.text));
    }
    this.ack(Ack.allowed);
    if ('reason' in outcome) void this.#frame(FrameType.stderr, endLine(outcome.reason, outcome.text));
    if (!this.#unreadSent) void this.send({ type: 'unread', bytes: 0 });
    void this.#frame(FrameType.exit, exitPayload(outcome, this.#version));
    this.#end();
  }

  get #decided(): boolean {
    return this.#ack !== undefined && this.#ack !== Ack.pending;
  }

  /** Two writes in one system call: output is never copied here. */
  #frame(type: number, payload: Uint8Array): Promise<void> | undefined {
    if (this.#finished || !this.#mayTake(type)) return undefined;
    this.#socket.cork();
    this.#socket.write(encodeFrameHeader(type, payload.length));
    const goOn = this.#socket.write(payload);
    this.#socket.uncork();
    return goOn || this.#socket.destroyed ? undefined : drained(this.#socket);
  }

  #mayTake(type: number): boolean {
    if (!this.#decided) return type === FrameType.notice && this.#ack === Ack.pending && this.#version > 0;
    return this.#version > 0 || type <= FrameType.exit;
  }

  #end(): void {
    this.#finished = true;
    closeGently(this.#socket);
  }

  #hungUp(): void {
    if (this.#finished || this.#abort.signal.aborted) return;
    this.#abort.abort(new ClawrdenError('requester-gone', 'the shim hung up'));
  }

  #read(chunk: Buffer): void {
    if (this.#finished) return;
    const taking = this.#takeAll(this.#reader.read(chunk));
    this.#pauseUntil(taking.catch((error: unknown) => this.#broke(error)));
  }

  /** Each turn of frames is charged before it is handled: 64 KiB of them on every connection would be many. */
  async #takeAll(frames: Iterator<Frame, void>): Promise<void> {
    for (let turn = turnOf(frames); turn.length > 0; turn = turnOf(frames)) {
      const waitMs = this.#waitBefore(turn);
      if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
      if (this.#finished || this.#socket.destroyed) return;
      for (const input of lastOfEach(turn.map(parseShimFrame))) this.#take(input);
      if (turn.length === framesInTurn) await setImmediate();
    }
  }

  #broke(error: unknown): void {
    if (!(error instanceof FrameError)) throw error;
    this.#abort.abort(new ClawrdenError('request-invalid', `the shim broke the protocol: ${error.message}`));
    this.#socket.destroy();
  }

  #take(input: ShimInput): void {
    if (input.type === 'cancel') {
      this.#abort.abort(new ClawrdenError('canceled', 'the shim asked for it'));
      return;
    }
    this.#checkStdin(input);
    this.#deliver(input);
  }

  #checkStdin(input: Input): void {
    if (input.type !== 'stdin' && input.type !== 'stdin-end') return;
    if (this.#stdinEnded) throw new FrameError('stdin after its end');
    if (input.type === 'stdin-end') this.#stdinEnded = true;
    else this.#credit -= input.bytes.length;
    if (this.#credit < 0) throw new FrameError('more stdin than there was credit for');
  }

  #deliver(input: Input): void {
    if (this.#handler === undefined) {
      if (this.#early.length === maxEarlyInputs) throw new FrameError('too many inputs before the answer');
      this.#early.push(input);
      return;
    }
    const wait = this.#handler(input);
    if (wait !== undefined) this.#pauseUntil(wait);
  }

  #pauseUntil(wait: Promise<void>): void {
    this.#pauses += 1;
    this.#socket.pause();
    void wait.then(() => {
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#finished) this.#socket.resume();
    });
  }
}

function turnOf(frames: Iterator<Frame, void>): Frame[] {
  const turn: Frame[] = [];
  while (turn.length < framesInTurn) {
    const { value, done } = frames.next();
    if (done === true) break;
    turn.push(value);
  }
  return turn;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}
