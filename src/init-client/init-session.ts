import type { Duplex } from 'node:stream';
import { ClawrdenError } from '../errors.ts';
import type { Input, Output, Send } from '../wire/execution-io.ts';
import { encodeFrame, type Frame, FrameReader, FrameType } from '../wire/frames.ts';
import { DockerDemux } from './docker-demux.ts';
import { type InitEnd, parseInitEnd } from './init-end.ts';
import { joinFrames } from './join-frames.ts';
import { encodePlan, type InitPlan } from './plan-encoding.ts';
import type { Found } from './plan-operands.ts';
import { readStrings } from './read-strings.ts';
import { encodeToInit, type ToInit, WaitingInputs } from './waiting-inputs.ts';

const initProtocolVersion = 4;
const maxDiagnosticBytes = 2048;

export interface RunOptions {
  readonly plan: InitPlan;
  readonly send: Send<Output>;
  /** Called once, immediately before the tool's exec, with what the init found for each file of its orders. */
  readonly onStarted: (found: Found) => void;
}

/**
 * One init, over the engine's attached stream. `ready` first, then `run` or `inspect` once; `input` and `cancel`
 * while it runs. Reads only as fast as `send` accepts. If the stream ends before the init's last frame, it rejects
 * with `host-lost`: it is then unknown whether the tool ran.
 */
export class InitSession {
  readonly #socket: Duplex;
  readonly #demux = new DockerDemux();
  readonly #reader = new FrameReader();
  readonly #frames: AsyncIterator<Frame, undefined>;
  /** For an init that does not read now: the user of its tool may have stopped it. */
  readonly #waiting = new WaitingInputs();
  #ahead: Promise<IteratorResult<Frame, undefined>> | undefined;
  #broken = false;
  #diagnostic = '';

  constructor(socket: Duplex) {
    this.#socket = socket;
    // The read side reports a broken stream, once. Without a listener here Node would throw the error at the process.
    socket.on('error', () => {});
    socket.on('drain', () => {
      for (const frame of this.#waiting.take()) this.#write(frame);
    });
    this.#frames = this.#read();
  }

  /** Resolves when the init waits for its plan. The caller enforces a deadline by destroying the socket. */
  async ready(): Promise<void> {
    const frame = await this.#next();
    if (frame.type !== FrameType.ready || frame.payload[0] !== initProtocolVersion) {
      throw new ClawrdenError('host-lost', 'the init did not say that it is ready');
    }
  }

  /**
   * After `ready`: resolves when the init cannot take a plan any more, because its stream has ended or it has spoken
   * unasked. Has no meaning after `run`.
   */
  async untilBroken(): Promise<void> {
    this.#ahead ??= this.#frames.next();
    await this.#ahead;
    this.#broken = this.#ahead !== undefined;
  }

  /** False if a waiting init is known to be dead; known only if somebody awaits `untilBroken`. */
  get alive(): boolean {
    return !this.#broken && !this.#socket.destroyed && this.#socket.writable;
  }

  async run({ plan, send, onStarted }: RunOptions): Promise<InitEnd> {
    this.#write(encodeFrame(FrameType.plan, encodePlan(plan)));
    for (;;) {
      const frame = await this.#next();
      if (frame.type === FrameType.started) onStarted(foundOf(plan, frame));
      const end = parseInitEnd(frame, plan.operands);
      if (end !== undefined) return end;
      const output = toOutput(frame);
      const wait = output && send(output);
      if (wait !== undefined) await wait;
    }
  }

  /**
   * Sends a plan to inspect (`inspectionOf`); resolves with what the init found for each file. Rejects with the
   * init's refusal. The init ends after it; the caller enforces a deadline by destroying the socket.
   */
  async inspect(plan: InitPlan): Promise<Found> {
    this.#write(encodeFrame(FrameType.plan, encodePlan(plan)));
    const frame = await this.#next();
    if (frame.type === FrameType.operands) return foundOf(plan, frame);
    const end = parseInitEnd(frame, plan.operands);
    if (end?.type === 'refused') throw new ClawrdenError(end.reason, end.text);
    throw new ClawrdenError('internal', 'the init did not say what it found');
  }

  input(input: Input): void {
    this.#send(input);
  }

  /** Sends TERM and CONT to the tool's group, KILL after 2 s; `run` still resolves with its end. */
  cancel(): void {
    this.#send({ type: 'cancel' });
  }

  /** The init takes this for the gateway's death: it kills everything and exits. */
  destroy(): void {
    this.#socket.destroy();
  }

  #send(input: ToInit): void {
    if (this.#socket.writableNeedDrain || !this.#waiting.isEmpty) this.#waiting.add(input);
    else this.#write(encodeToInit(input));
  }

  #write(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame);
  }

  async #next(): Promise<Frame> {
    const reading = this.#ahead ?? this.#frames.next();
    this.#ahead = undefined;
    const { value, done } = await reading;
    if (done !== true) return value;
    const said = this.#diagnostic === '' ? '' : `: ${this.#diagnostic.trim()}`;
    throw new ClawrdenError('host-lost', `the connection to the init ended before the command did${said}`);
  }

  async *#read(): AsyncGenerator<Frame, undefined> {
    try {
      for await (const chunk of this.#socket) yield* this.#framesIn(chunk as Buffer);
    } catch (error) {
      if (this.#diagnostic === '' && error instanceof Error) this.#diagnostic = error.message;
    }
    return undefined;
  }

  *#framesIn(chunk: Buffer): Generator<Frame> {
    for (const { stream, bytes } of this.#demux.push(chunk)) {
      if (stream === 1) yield* joinFrames(this.#reader.push(bytes));
      else this.#diagnostic = (this.#diagnostic + bytes.toString()).slice(0, maxDiagnosticBytes);
    }
  }
}

/** An init answers in the order of the plan that it was given; everywhere else only the names count. */
function foundOf({ operands }: InitPlan, { payload }: Frame): Found {
  const lines = readStrings(payload);
  return new Map(
    operands.flatMap((path, at) => (lines[at] === undefined ? [] : [[path, lines[at]] as const])),
  );
}

function toOutput(frame: Frame): Output | undefined {
  const { payload } = frame;
  switch (frame.type) {
    case FrameType.stdout:
      return { type: 'stdout', bytes: payload };
    case FrameType.stderr:
      return { type: 'stderr', bytes: payload };
    case FrameType.credit:
      return { type: 'credit', bytes: payload.readUInt32BE(0) };
    case FrameType.closed:
      return { type: 'closed', fd: 0 };
    case FrameType.stopped:
      return { type: 'stopped', signal: payload.readUInt8(0) };
    case FrameType.unread:
      return { type: 'unread', bytes: payload.readUInt32BE(0) };
    default:
      return undefined;
  }
}
