import { constants } from 'node:os';
import type { Command, TerminalSize } from '../../../command.ts';
import { toClawrdenError } from '../../../errors.ts';
import { newExecutionId } from '../../../execution-id.ts';
import type { GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import {
  type ExecuteCall,
  type FromGateway,
  openExecuteCall,
  type ToGateway,
} from '../../../gateway-client/execute-call.ts';
import type { Label } from '../../../gen/clawrden/v1/execution.ts';
import { exitOf, type Outcome, outcomeOf } from '../../../outcome.ts';
import { readTraceparent, toTraceparent } from '../../../traces/trace-context.ts';
import { endingSignals } from '../../../wire/ending-signals.ts';
import { tell } from '../../print/tell.ts';
import { readContext } from '../../reach/context.ts';
import { connect } from '../../reach/with-gateway.ts';
import { type CallersTerminal, openCallersTerminal } from './callers-terminal.ts';
import { describeStdio } from './describe-stdio.ts';
import { openSource } from './input-source.ts';
import { type OutputSink, openSink } from './output-sink.ts';
import { dieBy, raise, watchSignals } from './signals.ts';

export interface ExecOptions {
  readonly agent?: string;
  readonly cwd?: string;
  readonly tty?: boolean;
  readonly hostLabel: readonly Label[];
  readonly context?: string;
}

/** Ends this process like the tool: by its code or its signal, or by the code for why it did not run. */
export async function runExecution(
  argv: readonly [string, ...string[]],
  options: ExecOptions,
): Promise<void> {
  const { code, signal } = exitOf(await outcomeOfRun(argv, options));
  if (signal === 0) process.exit(code);
  dieBy(signal);
}

async function outcomeOfRun(argv: readonly [string, ...string[]], options: ExecOptions): Promise<Outcome> {
  const client = await connect(readContext(options.context));
  const outcome = await new Session(client, options.tty === true).run(argv, options);
  if ('reason' in outcome) say(`${outcome.reason}: ${outcome.text}`);
  client.close();
  return outcome;
}

/** One execution, connected to this process's descriptors and signals. */
class Session {
  readonly #call: ExecuteCall;
  readonly #sinks: { readonly stdout: OutputSink; readonly stderr: OutputSink };
  readonly #source;
  readonly #terminal: CallersTerminal | undefined;
  readonly #interrupted = Promise.withResolvers<Outcome>();
  #accepted = false;

  constructor(client: GatewayClient, withTerminal: boolean) {
    this.#terminal = withTerminal ? openCallersTerminal((size) => this.#tellSize(size)) : undefined;
    const begun = readTraceparent(process.env['TRACEPARENT']);
    const stream = client.execute(begun && toTraceparent(begun));
    this.#call = openExecuteCall(stream, (message) => this.#onMessage(message));
    this.#sinks = {
      stdout: openSink(1, () => this.#send({ $case: 'closed', value: 1 })),
      stderr: openSink(2, () => this.#send({ $case: 'closed', value: 2 })),
    };
    this.#source = openSource(
      (bytes) => this.#send({ $case: 'stdin', value: bytes }),
      () => this.#send({ $case: 'stdinEnd', value: {} }),
    );
    watchSignals((signal) => this.#onSignal(signal));
  }

  async run(argv: readonly [string, ...string[]], options: ExecOptions): Promise<Outcome> {
    // A stream that was lost or refused is an end like any other.
    const outcome = this.#call.outcome.catch((error: unknown) => outcomeOf(toClawrdenError(error)));
    this.#send({ $case: 'start', value: startOf(argv, options, this.#terminal) });
    const ended = await Promise.race([outcome, this.#interrupted.promise]);
    await Promise.all([this.#sinks.stdout.flush(), this.#sinks.stderr.flush()]);
    this.#terminal?.restore();
    return ended;
  }

  #send(message: ToGateway): void {
    // Bounded without waiting: stdin needs credit, everything else is a few bytes.
    void this.#call.send(message);
  }

  /** Until the execution is accepted no tool can get a signal: a signal that would end a tool ends the question. */
  #onSignal(signal: number): void {
    if (this.#accepted) return this.#send({ $case: 'signal', value: signal });
    if (!endingSignals.has(signal)) return;
    this.#send({ $case: 'cancel', value: { requesterGone: false } });
    this.#interrupted.resolve({ kind: 'interrupted', signal });
  }

  /** Changes of size before that are sent now. */
  #tellSize(size: TerminalSize | undefined): void {
    if (this.#accepted && size !== undefined) this.#send({ $case: 'resize', value: size });
  }

  /** Stops this process and the tool; returns when both continue. */
  #stopAsToolDid(signal: number): void {
    const stop = () => raise(signal);
    if (this.#terminal === undefined) stop();
    else this.#terminal.lend(stop);
    this.#send({ $case: 'signal', value: constants.signals.SIGCONT });
    this.#tellSize(this.#terminal?.size());
  }

  #onMessage(message: FromGateway): Promise<void> | undefined {
    switch (message.$case) {
      case 'accepted':
        this.#accepted = true;
        this.#tellSize(this.#terminal?.size());
        return undefined;
      case 'stdout':
      case 'stderr':
        return this.#sinks[message.$case].write(message.value);
      case 'credit':
        // Not earlier: until the tool may read, ^C is a signal.
        this.#terminal?.makeRaw();
        this.#source.grant(message.value);
        return undefined;
      case 'closed':
        this.#source.close();
        return undefined;
      case 'stopped':
        this.#stopAsToolDid(message.value);
        return undefined;
      case 'pending':
        notice(`waits for approval ${message.value.approvalId}, until ${message.value.expires}`);
        return undefined;
      case 'notice':
        notice(message.value);
        return undefined;
      default:
        return undefined;
    }
  }
}

function startOf(
  [tool, ...args]: readonly [string, ...string[]],
  { agent = '', cwd = '', hostLabel }: ExecOptions,
  terminal: CallersTerminal | undefined,
) {
  const command: Command = {
    tool,
    args,
    cwd,
    env: Object.entries(process.env).map(([name, value]) => `${name}=${value}`),
    umask: process.umask(),
    stdio: describeStdio(terminal !== undefined),
    ignored: [],
    version: 1,
  };
  return {
    executionId: newExecutionId(),
    agent,
    command: {
      ...command,
      args,
      env: [...command.env],
      stdio: [...command.stdio],
      ignored: [],
      blocked: [],
      terminal: terminal?.size(),
    },
    identity: undefined,
    refusal: undefined,
    hostLabels: [...hostLabel],
  };
}

/** Shown only to people, on a terminal. */
function notice(text: string): void {
  if (process.stderr.isTTY) say(text);
}

function say(text: string): void {
  tell(`clawrden: ${text}`);
}
