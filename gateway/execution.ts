import { ClawrdenError } from '../src/errors.ts';
import type { Wiring } from '../src/init-client/init-plan.ts';
import type { Channel, FromCaller, StartRequest } from './channel.ts';
import type { ExecutionRecord } from './warden-view.ts';

/** The caller was interrupted before its tool ran: it ends as if the tool had died by `signal`. */
export class Interrupted extends ClawrdenError {
  override name = 'Interrupted';
  readonly signal: number;

  constructor(signal: number) {
    super('canceled', `interrupted by signal ${signal} before the command started`);
    this.signal = signal;
  }
}

/** HUP INT QUIT TERM */
const endingSignals: ReadonlySet<number> = new Set([1, 2, 3, 15]);

/**
 * One command's life with its one abort: the first reason wins. Inputs that come before the tool runs are kept where
 * they still matter (a closed reader, the last size) and turned into a cancel where they ask for the end.
 */
export class Execution {
  readonly wiring: Wiring;
  /** What an orchestrator asks of the host. */
  readonly hostLabels: Readonly<Record<string, string>>;
  readonly #abort = new AbortController();
  readonly #onChange: (record: ExecutionRecord) => void;
  readonly #early: FromCaller[] = [];
  #deliver: ((input: FromCaller) => void) | undefined;
  #record: ExecutionRecord;
  readonly #written = { 1: 0, 2: 0 };

  constructor(
    record: ExecutionRecord,
    { command, hostLabels }: StartRequest,
    channel: Channel,
    onChange: (record: ExecutionRecord) => void,
  ) {
    this.#record = record;
    this.wiring = command;
    this.hostLabels = hostLabels;
    this.#onChange = onChange;
    channel.listen((input) => (this.#deliver ? this.#deliver(input) : this.#keep(input)));
    if (channel.gone.aborted) this.stop(channel.gone.reason);
    else channel.gone.addEventListener('abort', () => this.stop(channel.gone.reason), { once: true });
  }

  get record(): ExecutionRecord {
    return this.#record;
  }

  /** Counted apart from `advance`: this is called for every chunk. */
  countOutput(fd: 1 | 2, bytes: number): void {
    this.#written[fd] += bytes;
  }

  get written(): { readonly stdoutBytes: number; readonly stderrBytes: number } {
    return { stdoutBytes: this.#written[1], stderrBytes: this.#written[2] };
  }

  /** Aborts when the execution must end; the reason is a ClawrdenError. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  stop(reason: ClawrdenError): void {
    this.#abort.abort(reason);
  }

  advance(change: Partial<ExecutionRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#onChange(this.#record);
  }

  /** From now on inputs go to `handler`, after those that were kept. */
  takeInputs(handler: (input: FromCaller) => void): void {
    this.#deliver = handler;
    for (const input of this.#early.splice(0)) handler(input);
  }

  #keep(input: FromCaller): void {
    if (input.type === 'signal' && endingSignals.has(input.signal)) this.stop(new Interrupted(input.signal));
    const last = this.#early.findIndex((kept) => kept.type === input.type && kept.type === 'resize');
    if (last !== -1) this.#early.splice(last, 1);
    // Only closed(1), closed(2) and one size can be here: a caller that repeats them fills nothing.
    if ((input.type === 'closed' || input.type === 'resize') && this.#early.length < 3)
      this.#early.push(input);
  }
}
