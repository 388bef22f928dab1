import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { ClawrdenError } from '../../../src/errors.ts';
import type { Cancel, ExecuteRequest, ExecuteResponse } from '../../../src/gen/clawrden/v1/execution.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { boundedWriter } from '../../../src/wire/bounded-writer.ts';
import { toWireOutcome } from '../../../src/wire/outcome-message.ts';
import { type Channel, type FromCaller, type ToCaller, Vanished } from '../../ports/channel.ts';
import { CallRefused, invalid, toStatus } from '../calls/errors.ts';
import { toFromCaller } from './from-caller.ts';
import { ImpossibleCode } from './start-request.ts';
import { toResponse } from './to-caller.ts';

export type ExecuteCall = ServerDuplexStream<ExecuteRequest, ExecuteResponse>;
export type FirstMessage = Extract<NonNullable<ExecuteRequest['message']>, { $case: 'start' | 'resume' }>;

const firstMessageMs = 10_000;
const maxEarlyInputs = 256;

type MirrorState = 'none' | 'told' | 'started' | 'ended';

/** none -> told -> started -> ended; a command that cannot start ends at once. Each start and each end makes a record. */
const mirrorMessages: Readonly<
  Record<string, { readonly from: readonly MirrorState[]; readonly to: MirrorState }>
> = {
  started: { from: ['told'], to: 'started' },
  stdout: { from: ['started'], to: 'started' },
  stderr: { from: ['started'], to: 'started' },
  mirrorEnd: { from: ['told', 'started'], to: 'ended' },
};
const mirrorFaults: Readonly<Record<MirrorState, string>> = {
  none: 'nothing was to be run there',
  told: 'started comes first',
  started: 'started comes once',
  ended: 'nothing comes behind mirror_end',
};

export interface CallChannelOptions {
  /** The agent that the first message names; nobody has checked it. Empty if it names none. */
  readonly onAgent: (agent: string) => void;
  /** Called with a reason code that none of our relays gives. */
  readonly onImpossible: (text: string) => void;
}

/** One Execute stream, as the gateway's core sees it. */
export class CallChannel implements Channel {
  readonly #call: ExecuteCall;
  readonly #onImpossible: (text: string) => void;
  readonly #gone = new AbortController();
  readonly #writer;
  readonly #first = Promise.withResolvers<FirstMessage | undefined>();
  readonly #timer: NodeJS.Timeout;
  #opened = false;
  #over = false;
  #credit = 0;
  #mirror: MirrorState = 'none';
  #inspecting = false;
  #early: FromCaller[] = [];
  #handler: ((input: FromCaller) => void) | undefined;
  readonly #onAgent: (agent: string) => void;

  constructor(call: ExecuteCall, { onAgent, onImpossible }: CallChannelOptions) {
    this.#call = call;
    this.#onAgent = onAgent;
    this.#onImpossible = onImpossible;
    this.#writer = boundedWriter<ExecuteResponse>(call);
    this.#timer = setTimeout(() => this.#lateStart(), firstMessageMs);
    call.on('data', (request: ExecuteRequest) => this.#receive(request));
    // A vanished peer looks first like an end and then like a cancel. So an end alone means that it is gone, too;
    // stdin has an end of its own.
    call.on('end', () => this.#vanished());
    call.on('cancelled', () => {
      this.#writer.release();
      this.#vanished();
    });
  }

  /** The caller's request; `undefined` if the caller is gone, or was refused, before it sent one. */
  get first(): Promise<FirstMessage | undefined> {
    return this.#first.promise;
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  send = (item: ToCaller): Promise<void> | undefined => {
    if (this.#over) return undefined;
    if (item.type === 'credit') this.#credit += item.bytes;
    if (item.type === 'run-here') this.#mirror = 'told';
    if (item.type === 'inspect-here') this.#inspecting = true;
    const bytes = item.type === 'stdout' || item.type === 'stderr' ? item.bytes.length : 0;
    return this.#writer.write({ message: toResponse(item) }, bytes);
  };

  listen = (handler: (input: FromCaller) => void): void => {
    this.#handler = handler;
    for (const input of this.#early.splice(0)) handler(input);
  };

  /** The last message; nothing is sent after it. */
  finish(outcome: Outcome): void {
    if (this.#over) return;
    this.#end();
    void this.#writer.write({ message: { $case: 'outcome', value: toWireOutcome(outcome) } }, 0);
    this.#call.end();
  }

  /** Ends the stream without an outcome. */
  refuse(error: unknown): void {
    if (this.#over) return;
    this.#end();
    if (error instanceof ImpossibleCode) this.#onImpossible(error.message);
    const { code, details } = toStatus(error);
    this.#gone.abort(new ClawrdenError('request-invalid', details));
    this.#writer.release();
    this.#call.emit('error', { code, details });
  }

  #end(): void {
    this.#over = true;
    // What still comes has no reader, and no budget.
    this.#call.pause();
    clearTimeout(this.#timer);
    this.#first.resolve(undefined);
  }

  #receive({ message }: ExecuteRequest): void {
    if (this.#over) return;
    try {
      if (message === undefined) throw invalid('a message says nothing');
      if (!this.#opened) return this.#open(message);
      this.#input(message);
    } catch (error) {
      this.refuse(error);
    }
  }

  #open(message: NonNullable<ExecuteRequest['message']>): void {
    if (message.$case !== 'start' && message.$case !== 'resume') throw invalid('start or resume comes first');
    clearTimeout(this.#timer);
    this.#opened = true;
    this.#onAgent(message.$case === 'start' ? message.value.agent : '');
    this.#first.resolve(message);
  }

  #input(message: NonNullable<ExecuteRequest['message']>): void {
    if (message.$case === 'cancel') {
      this.#gone.abort(canceled(message.value));
      return;
    }
    if (message.$case === 'stdin') this.#spendCredit(message.value.length);
    if (message.$case === 'inspected') this.#endInspection();
    const input = toFromCaller(message, this.#mirror === 'started');
    this.#followMirror(message.$case);
    if (this.#handler !== undefined) this.#handler(input);
    else if (this.#early.length < maxEarlyInputs) this.#early.push(input);
    else throw invalid('too many messages before the execution began');
  }

  #followMirror($case: string): void {
    const step = mirrorMessages[$case];
    if (step === undefined) return;
    if (!step.from.includes(this.#mirror)) throw invalid(mirrorFaults[this.#mirror]);
    this.#mirror = step.to;
  }

  #endInspection(): void {
    if (!this.#inspecting) throw invalid('nothing was to be looked at there');
    this.#inspecting = false;
  }

  #spendCredit(bytes: number): void {
    if (bytes > this.#credit) throw invalid(`${bytes - this.#credit} bytes of stdin more than was granted`);
    this.#credit -= bytes;
  }

  #vanished(): void {
    if (this.#over) return;
    this.#gone.abort(new Vanished());
    clearTimeout(this.#timer);
    this.#first.resolve(undefined);
  }

  #lateStart(): void {
    const why = `no start within ${firstMessageMs / 1000} s`;
    this.refuse(new CallRefused(status.DEADLINE_EXCEEDED, why));
  }
}

function canceled({ requesterGone }: Cancel): ClawrdenError {
  if (!requesterGone) return new ClawrdenError('canceled', 'canceled by the caller');
  return new ClawrdenError('requester-gone', 'the process that asked for the command is gone');
}
