import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { abortable, deadline } from '../abort.ts';
import { type CrumbPace, crumbPace } from '../crumb-budgets.ts';
import { ClawrdenError } from '../errors.ts';
import type { Input, Output, Send } from '../wire/execution-io.ts';
import { encodeFrame, type Frame, FrameType } from '../wire/frames.ts';
import { Connections, doesNotRead, mostUnread, ofConnections, type Serve } from './connections.ts';
import { decodeOutput } from './decode-output.ts';
import { type InitEnd, parseInitEnd } from './init-end.ts';
import { InitFault } from './init-fault.ts';
import { InitFrameReader } from './init-frames.ts';
import { InitProtocol, stdinWindow } from './init-protocol.ts';
import { encodePlan, type InitPlan } from './plan-encoding.ts';
import type { Found } from './plan-operands.ts';
import { readStrings } from './read-strings.ts';
import { encodeToInit, type ToInit, WaitingInputs } from './waiting-inputs.ts';

/** From the plan to the first word about its tool, unless the caller says otherwise. */
const startMs = 30_000;
/** An init ends its command at the plan's timeout and delivers for 10 s; then it is gone. */
const deliveryMs = 15_000;
/** An init sends its last frames at once. */
const settleMs = 10_000;
const longestTimerMs = 2 ** 31 - 1;
/** After so many frames everybody else has a turn. */
const framesInTurn = 64;

export interface RunOptions {
  readonly plan: InitPlan;
  readonly send: Send<Output>;
  /** Called once, immediately before the tool's exec, with what the init found for each file of its orders. */
  readonly onStarted: (found: Found) => void;
  readonly startWithinMs?: number;
  /** What small frames are charged to; if absent, a budget of this run alone. */
  readonly pace?: CrumbPace;
  /** Gets each connection of the tool, if its plan has a network. They end with the run. */
  readonly serve?: Serve;
}

/**
 * One init, over the engine's attached stream. `ready` first, then `run` or `inspect` once; `input` and `cancel`
 * while it runs. Reads only as fast as `send` accepts. If the stream ends before the init's last frame, it rejects
 * with `host-lost`: it is then unknown whether the tool ran. So it does, with an `InitFault`, for an init that breaks
 * its protocol, and for one that is silent where it must speak, whatever else comes over the stream.
 */
export class InitSession {
  readonly #socket: Duplex;
  readonly #protocol = new InitProtocol();
  readonly #reader = new InitFrameReader(this.#protocol);
  readonly #frames: AsyncIterator<Frame, undefined>;
  /** For an init that does not read now: the user of its tool may have stopped it. */
  readonly #waiting = new WaitingInputs();
  /** The end of `run`, whatever its reader and the init do. */
  readonly #cut = new AbortController();
  #pace: CrumbPace = crumbPace();
  #timer: NodeJS.Timeout | undefined;
  #sending = false;
  #ahead: Promise<IteratorResult<Frame, undefined>> | undefined;
  #broken = false;
  #mayRun = false;
  #diagnostic = '';
  #connections: Connections | undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
    // The read side reports a broken stream, once. Without a listener here Node would throw the error at the process.
    socket.on('error', () => {});
    socket.on('drain', () => {
      for (const frame of this.#waiting.take()) this.#write(frame);
      this.#connections?.resume();
    });
    this.#frames = this.#read();
  }

  /** Resolves when the init waits for its plan. The caller enforces a deadline by destroying the socket. */
  async ready(): Promise<void> {
    await this.#next();
  }

  /**
   * After `ready`: resolves when the init cannot take a plan any more, because its stream has ended or it has spoken
   * unasked. Has no meaning after `run`.
   */
  async untilBroken(): Promise<void> {
    this.#ahead ??= this.#frames.next();
    await this.#ahead.catch(() => {});
    this.#broken = this.#ahead !== undefined;
  }

  /** False if a waiting init is known to be dead; known only if somebody awaits `untilBroken`. */
  get alive(): boolean {
    return !this.#broken && !this.#socket.destroyed && this.#socket.writable;
  }

  /** A tool of this init, or what it left, may still run: it was given a plan, and has not said how that ended. */
  get mayRun(): boolean {
    return this.#mayRun;
  }

  async run(options: RunOptions): Promise<InitEnd> {
    const { plan, startWithinMs = startMs, pace, serve } = options;
    if (pace !== undefined) this.#pace = pace;
    if (plan.network && serve !== undefined) this.#connections = this.#carry(serve);
    this.#mayRun = true;
    this.#plan(plan);
    this.#within(startWithinMs, 'did not say that its tool runs');
    try {
      const end = await abortable(this.#untilEnd(options), this.#cut.signal);
      this.#mayRun = false;
      return end;
    } finally {
      clearTimeout(this.#timer);
      this.#connections?.close();
    }
  }

  /**
   * Sends a plan to inspect (`inspectionOf`); resolves with what the init found for each file. Rejects with the
   * init's refusal. The init ends after it; the caller enforces a deadline by destroying the socket.
   */
  async inspect(plan: InitPlan): Promise<Found> {
    this.#plan(plan);
    const frame = await this.#next();
    if (frame.type === FrameType.operands) return foundOf(plan, frame);
    const end = parseInitEnd(frame, plan.operands);
    if (end?.type === 'refused') throw new ClawrdenError(end.reason, end.text);
    throw new ClawrdenError('internal', 'the init did not say what it found');
  }

  input(input: Input): void {
    if (input.type === 'stdin') this.#protocol.fed(input.bytes.length);
    this.#send(input);
  }

  /** Sends TERM and CONT to the tool's group, KILL after 2 s; `run` still resolves with its end. */
  cancel(): void {
    this.#send({ type: 'cancel' });
  }

  /** The init takes this for the gateway's death: it kills everything and exits. */
  destroy(): void {
    this.#end(this.#lost());
  }

  #plan(plan: InitPlan): void {
    this.#write(encodeFrame(FrameType.plan, encodePlan(plan)));
    this.#protocol.planned(plan.inspect, plan.operands.length);
  }

  #carry(serve: Serve): Connections {
    const isFull = () => this.#socket.writableNeedDrain || !this.#socket.writable;
    // Stdin may wait before them: all of its window, and the headers of its frames until the stream is full.
    const most = mostUnread + stdinWindow + this.#socket.writableHighWaterMark;
    const write = (frame: Buffer) => {
      if (this.#socket.writableLength > most) this.#end(doesNotRead());
      else this.#write(frame);
    };
    return new Connections({ isFull, write }, serve);
  }

  async #untilEnd(options: RunOptions): Promise<InitEnd> {
    const { plan, send } = options;
    let frame = await this.#next();
    for (;;) {
      this.#cut.signal.throwIfAborted();
      if (frame.type === FrameType.started) this.#started(options, frame);
      const end = parseInitEnd(frame, plan.operands);
      if (end !== undefined) return end;
      if (ofConnections.has(frame.type)) this.#connect(frame);
      else await this.#passOn(frame, send);
      frame = endsSoon(frame) ? await this.#soon() : await this.#next();
    }
  }

  #started({ plan, onStarted }: RunOptions, frame: Frame): void {
    clearTimeout(this.#timer);
    if (plan.runMs > 0) this.#within(plan.runMs + deliveryMs, 'did not end its tool at its timeout');
    onStarted(foundOf(plan, frame));
  }

  #connect(frame: Frame): void {
    if (this.#connections === undefined)
      throw new InitFault('broke', 'the init broke its protocol: a connection that its plan does not have');
    this.#connections.take(frame);
  }

  /** While its reader takes its time, the init is not late. */
  async #passOn(frame: Frame, send: Send<Output>): Promise<void> {
    const output = decodeOutput(frame);
    const wait = output && send(output);
    if (wait === undefined) return;
    this.#sending = true;
    await wait;
    this.#sending = false;
  }

  /** The time that the init has from now on, once: no frame prolongs it. */
  #within(ms: number, what: string): void {
    clearTimeout(this.#timer);
    if (ms > longestTimerMs) return;
    this.#timer = setTimeout(() => {
      const text = `the init ${what} within ${ms / 1000} s`;
      this.#end(this.#sending ? untaken(ms) : new InitFault('silent', text));
    }, ms);
  }

  #end(reason: ClawrdenError): void {
    this.#cut.abort(reason);
    this.#socket.destroy();
  }

  #send(input: ToInit): void {
    if (!this.#socket.writable) return;
    if (!this.#socket.writableNeedDrain && this.#waiting.isEmpty) return this.#write(encodeToInit(input));
    this.#waiting.add(input);
    if (this.#waiting.stdinBytes > stdinWindow) this.#end(grantsUnread());
  }

  #write(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame);
  }

  async #next(): Promise<Frame> {
    const reading = this.#ahead ?? this.#frames.next();
    this.#ahead = undefined;
    const { value, done } = await reading;
    if (done !== true) return value;
    throw this.#lost();
  }

  async #soon(): Promise<Frame> {
    const late = () =>
      new InitFault('silent', `the init did not say within ${settleMs / 1000} s how its tool ended`);
    using until = deadline(settleMs, late);
    return await abortable(this.#next(), until.signal);
  }

  #lost(): ClawrdenError {
    const { diagnostic } = this.#reader;
    const why = (diagnostic || this.#diagnostic).trim();
    const said = why === '' ? '' : `: ${why}`;
    return new ClawrdenError('host-lost', `the connection to the init ended before the command did${said}`);
  }

  async *#read(): AsyncGenerator<Frame, undefined> {
    try {
      for await (const chunk of this.#socket) {
        const { frames, fault, cost } = this.#reader.push(chunk as Buffer);
        // Each turn by itself: what a chunk owes may be what others of its budget wait for, for seconds.
        const turns = Math.max(1, Math.ceil(frames.length / framesInTurn));
        for (let turn = 0; turn < turns; turn += 1) {
          const waitMs = this.#pace(cost / turns);
          if (waitMs > 0) await sleep(waitMs, undefined, { signal: this.#cut.signal });
          else if (turn > 0) await setImmediate();
          for (const frame of frames.slice(turn * framesInTurn, (turn + 1) * framesInTurn)) yield frame;
        }
        if (fault !== undefined) throw fault;
      }
    } catch (error) {
      if (error instanceof InitFault) throw error;
      if (error instanceof Error) this.#diagnostic = error.message;
    }
    return undefined;
  }
}

/** Nothing but the end follows. */
function endsSoon({ type, payload }: Frame): boolean {
  return type === FrameType.unread || (type === FrameType.credit && payload.readUInt32BE(0) === 0);
}

/** An init that grants what its tool has read has all stdin but its window. */
function grantsUnread(): InitFault {
  return new InitFault('broke', `the init grants stdin and takes none: more than ${stdinWindow} bytes wait`);
}

function untaken(ms: number): ClawrdenError {
  const seconds = (ms - deliveryMs) / 1000;
  return new ClawrdenError(
    'run-timeout',
    `the command ran longer than ${seconds} s, and its output was not taken`,
  );
}

/** An init answers in the order of the plan that it was given; everywhere else only the names count. */
function foundOf({ operands }: InitPlan, { payload }: Frame): Found {
  const lines = readStrings(payload);
  return new Map(
    operands.flatMap((path, at) => (lines[at] === undefined ? [] : [[path, lines[at]] as const])),
  );
}
