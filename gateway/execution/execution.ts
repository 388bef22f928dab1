import { abortable, onAbort } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Usage } from '../../src/usage.ts';
import { endingSignals } from '../../src/wire/ending-signals.ts';
import type { Send } from '../../src/wire/execution-io.ts';
import { type Channel, type FromCaller, type Inspected, type ToCaller, Vanished } from '../ports/channel.ts';
import type { ExecutionRecord, ExecutionState } from '../ports/execution-record.ts';
import { mayFollow } from './may-follow.ts';
import { createOutputTally } from './output-tally.ts';
import type { StartContext } from './start-context.ts';
import { createTrace } from './trace.ts';

/** The caller was interrupted before its tool ran: it ends as if `signal` had killed the tool. */
export class Interrupted extends ClawrdenError {
  override name = 'Interrupted';
  readonly signal: number;

  constructor(signal: number) {
    super('canceled', `interrupted by signal ${signal} before the command started`);
    this.signal = signal;
  }
}

/** Stops work without the grace of a cancel: the tool gets no TERM. */
export class Halted extends ClawrdenError {
  override name = 'Halted';
}

/** Inputs that are for the tool. */
export type ToolInput = Exclude<FromCaller, Inspected>;

/** The policy's decision, and the plan. */
export type DecidedFacts = Pick<
  ExecutionRecord,
  | 'decision'
  | 'rule'
  | 'decisionReason'
  | 'strategy'
  | 'decidedAt'
  | 'planHash'
  | 'plan'
  | 'cwd'
  | 'uid'
  | 'gid'
>;

export type EndFacts = Pick<
  ExecutionRecord,
  'outcome' | 'exitCode' | 'exitSignal' | 'reason' | 'text' | 'stdoutBytes' | 'stderrBytes'
>;

/** How long a caller whose connection was cut may take to come back while a person is asked. */
export const returnWithinMs = 30_000;

/**
 * One command's life with its one abort: the first reason counts. Inputs that come before the tool runs are kept if
 * they still matter (a closed reader, the last size), and become a cancel if they ask for the end.
 */
export class Execution {
  readonly context: StartContext;
  /** What the tool wrote. */
  readonly output = createOutputTally();
  readonly trace = createTrace();
  /** What its init reported at the end. */
  usage: Usage | undefined;
  readonly #outcome = Promise.withResolvers<Outcome>();
  readonly #abort = new AbortController();
  readonly #halt = new AbortController();
  readonly #onChange: (record: ExecutionRecord) => void;
  readonly #early: ToolInput[] = [];
  readonly #durations: Partial<Record<ExecutionState, number>> = {};
  #grant = '';
  #since = performance.now();
  #handler: ((input: ToolInput) => void) | undefined;
  #inspected = Promise.withResolvers<Inspected['found']>();
  #record: ExecutionRecord;
  #cleaning: Promise<void> = Promise.resolve();
  #caller: Channel | undefined;
  #returned = Promise.withResolvers<void>();
  #stays = false;
  #away: NodeJS.Timeout | undefined;
  /** Sent again to a caller that comes back. */
  #pending: ToCaller | undefined;

  constructor(record: ExecutionRecord, context: StartContext, onChange: (record: ExecutionRecord) => void) {
    this.#record = record;
    this.context = context;
    this.#onChange = onChange;
    this.#leave(new ClawrdenError('canceled', 'the caller did not come back'));
  }

  get record(): ExecutionRecord {
    return this.#record;
  }

  /** Its outcome; never rejects. */
  get outcome(): Promise<Outcome> {
    return this.#outcome.promise;
  }

  /** Resolves when it has ended and everything given to `clean` is done. */
  get cleared(): Promise<unknown> {
    return this.outcome.then(() => this.#cleaning);
  }

  /** Work that continues after the answer, like removing the container. Never rejects. */
  clean(work: Promise<void>): void {
    this.#cleaning = Promise.all([this.#cleaning, work]).then(() => {});
  }

  /** Aborts when the execution must end; the reason is a ClawrdenError. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborts when its agent is halted, also if it was stopped before: what has a grace has none any more. */
  get halted(): AbortSignal {
    return this.#halt.signal;
  }

  stop(reason: ClawrdenError): void {
    clearTimeout(this.#away);
    if (reason instanceof Halted) this.#halt.abort(reason);
    this.#abort.abort(reason);
  }

  decided(facts: DecidedFacts): void {
    this.#change(facts);
  }

  /** Its plan once its scripts are known. */
  replanned(plan: string, planHash: string): void {
    this.#change({ plan, planHash });
  }

  asks(approvalId: string): void {
    this.trace.mark('asked');
    this.#enter('awaiting-approval', { approvalId });
  }

  answered(approver: string): void {
    this.#change({ approver });
  }

  /** No question was asked: it runs by a grant of these people. */
  coveredBy(grant: string, approver: string): void {
    this.#grant = grant;
    this.#change({ approver });
  }

  /** The grant by which it runs; empty if it runs by none. */
  get grant(): string {
    return this.#grant;
  }

  queued(): void {
    this.#enter('queued', {});
  }

  placed(host: string, container: string): void {
    this.#change({ host, container });
  }

  started(place: Partial<Pick<ExecutionRecord, 'host' | 'container'>> = {}): void {
    this.trace.mark('started');
    this.#enter('running', { startedAt: Date.now(), ...place });
  }

  /** JSON of the files that the tool got to run. */
  ran(operands: string): void {
    this.#change({ operands });
  }

  /** What its connections reached by name; also after its end. */
  reached(told: Pick<ExecutionRecord, 'connections' | 'connectionCount'>): void {
    this.#change(told);
  }

  /** In one step with its outcome: the history never shows an end without one. */
  ended(end: EndFacts): void {
    this.#enter('ended', { endedAt: Date.now(), ...end });
  }

  /** An event that comes too late changes nothing, for example a start that a relay reports after the end. */
  #enter(state: ExecutionState, change: Partial<ExecutionRecord>): void {
    if (!mayFollow[this.#record.state].has(state)) return;
    this.#leaveState();
    this.#change({ ...change, state });
  }

  #change(change: Partial<ExecutionRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#onChange(this.#record);
  }

  /** Milliseconds in each state so far. */
  get durations(): Readonly<Partial<Record<ExecutionState, number>>> {
    return this.#durations;
  }

  end(outcome: Outcome): void {
    clearTimeout(this.#away);
    this.#outcome.resolve(outcome);
  }

  /** The caller is connected, for the first time or again; an older stream of it counts no more. */
  attach(caller: Channel): void {
    clearTimeout(this.#away);
    this.#caller = caller;
    if (!this.#stays) this.#returned.resolve();
    if (this.#pending !== undefined) void caller.send(this.#pending);
    caller.listen((input) => this.#receive(input, caller));
    onAbort(caller.gone, () => {
      if (this.#caller === caller) this.#callerGone(caller.gone.reason as ClawrdenError);
    });
  }

  /** It does not continue here: its caller must come back to the gateway that restores it. */
  detach(): void {
    clearTimeout(this.#away);
    this.#caller = undefined;
    this.#returned = Promise.withResolvers();
  }

  /** The gateway ends: an answer to its question is for the next one, which restores it. Its caller may still end it. */
  stay(): void {
    if (!this.#stays) this.#returned = Promise.withResolvers();
    this.#stays = true;
  }

  /** Resolves when the caller is connected and it does not stay; rejects with the abort's reason if it does not come back in time. */
  async untilAttached(): Promise<void> {
    await abortable(this.#returned.promise, this.signal);
  }

  /** Sends to the caller while it is connected; otherwise drops the message. */
  readonly send: Send<ToCaller> = (item) => {
    if (item.type === 'pending') this.#pending = item;
    return this.#caller?.send(item);
  };

  /** Its caller keeps what it is sent. */
  get isKept(): boolean {
    return this.#caller?.keeps === true;
  }

  /** The answer of a relay that was asked to inspect. Never rejects. */
  get inspected(): Promise<Inspected['found']> {
    return this.#inspected.promise;
  }

  /** From now on inputs go to `handler`, after the kept ones. */
  takeInputs(handler: (input: ToolInput) => void): void {
    this.#handler = handler;
    for (const input of this.#early.splice(0)) handler(input);
  }

  #leaveState(): void {
    const now = performance.now();
    const { state } = this.#record;
    this.#durations[state] = (this.#durations[state] ?? 0) + Math.round(now - this.#since);
    this.#since = now;
  }

  #callerGone(reason: ClawrdenError): void {
    if (this.#record.state === 'awaiting-approval' && reason instanceof Vanished) this.#leave(reason);
    else this.stop(reason);
  }

  #leave(reason: ClawrdenError): void {
    this.detach();
    this.#away = setTimeout(() => this.stop(reason), returnWithinMs).unref();
  }

  #receive(input: FromCaller, caller: Channel): void {
    if (caller !== this.#caller) return;
    if (input.type === 'inspected') this.#inspected.resolve(input.found);
    else if (this.#handler === undefined) this.#keep(input);
    else this.#handler(input);
  }

  #keep(input: ToolInput): void {
    if (input.type === 'signal' && endingSignals.has(input.signal)) this.stop(new Interrupted(input.signal));
    const last = this.#early.findIndex((kept) => kept.type === input.type && kept.type === 'resize');
    if (last !== -1) this.#early.splice(last, 1);
    // Only closed(1), closed(2) and one size can be kept, so a caller that repeats them fills nothing.
    if ((input.type === 'closed' || input.type === 'resize') && this.#early.length < 3)
      this.#early.push(input);
  }
}
