import type { Duplex } from 'node:stream';
import { abortable, onAbort } from '../../../src/abort.ts';
import type { AgentContainer } from '../../../src/agent-container.ts';
import type { Command } from '../../../src/command.ts';
import type { CrumbPace } from '../../../src/crumb-budgets.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import type { Gate } from '../../../src/gate.ts';
import { type InitEnd, outcomeOfEnd } from '../../../src/init-client/init-end.ts';
import { initPlanOf } from '../../../src/init-client/init-plan.ts';
import { InitSession } from '../../../src/init-client/init-session.ts';
import type { Found } from '../../../src/init-client/plan-operands.ts';
import { type Outcome, outcomeOf } from '../../../src/outcome.ts';
import type { Plan } from '../../../src/plan.ts';
import type { Usage } from '../../../src/usage.ts';
import type { Input, Output, Send } from '../../../src/wire/execution-io.ts';
import type { EarlyInputs } from '../channel/early-inputs.ts';
import type { AgentEngine } from './agent-engine.ts';

const startTimeoutMs = 10_000;
const late = {
  waited: `other commands of the agent were still starting after ${startTimeoutMs / 1000} s`,
  started: `the command did not start within ${startTimeoutMs / 1000} s`,
};
const cancelTimeoutMs = 3000;
const haltTimeoutMs = 1000;

export interface MirrorOptions {
  readonly engine: AgentEngine;
  /** Lets this agent's commands start. */
  readonly starts: Gate;
  readonly container: AgentContainer;
  readonly plan: Plan;
  /** Used only for the kinds of the shim's descriptors. */
  readonly command: Command;
  /** Inputs that came before the plan. */
  readonly early: EarlyInputs;
  readonly send: Send<Output>;
  /** What small frames of its init are charged to. */
  readonly pace: CrumbPace;
  readonly onStarted: (found: Found, container: string) => void;
}

/** One command in the agent's own container, with the caller's ids. It runs from the moment this is made. */
export class Mirror {
  readonly #options: MirrorOptions;
  /** The hard end: the connection to the init is cut, and the init kills the command. */
  readonly #cut = new AbortController();
  #session: InitSession | undefined;
  #stream: Duplex | undefined;
  #container = '';
  #canceled: ClawrdenError | undefined;
  #usage: Usage | undefined;
  /** Never rejects. When it resolves, nothing runs and nothing more is sent. */
  readonly end: Promise<Outcome>;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.end = this.#run().catch((error: unknown) => this.#outcomeOfFailure(error));
  }

  /** What the init reported at the end. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  input(input: Input): void {
    if (this.#session !== undefined) return this.#session.input(input);
    this.#options.early.keep(input);
    if (this.#options.early.endingSignal !== undefined) this.#cut.abort();
  }

  /** TERM to the tool, KILL after 2 s; after 3 s the mirror ends in any case. */
  cancel(reason: ClawrdenError): void {
    this.#stop(reason, cancelTimeoutMs, () => this.#session?.cancel());
  }

  /** KILL to all processes at once; after 1 s the mirror ends, confirmed or not. */
  halt(reason: ClawrdenError): void {
    // The init takes the end of its stdin for the gateway's death.
    this.#stop(reason, haltTimeoutMs, () => this.#stream?.end());
  }

  #stop(reason: ClawrdenError, timeoutMs: number, ask: () => void): void {
    if (this.#cut.signal.aborted) return;
    this.#canceled ??= reason;
    if (this.#session === undefined) this.#cut.abort(reason);
    else ask();
    setTimeout(() => this.#cut.abort(reason), timeoutMs).unref();
  }

  async #run(): Promise<Outcome> {
    // A signal that the gateway had not seen when it let the command run.
    if (this.#options.early.endingSignal !== undefined) this.#cut.abort();
    try {
      return this.#outcomeOf(await this.#runIn(await this.#startInTurn()));
    } finally {
      this.#cut.abort();
    }
  }

  /** What gives up while it waits never reaches the engine, and what has waited has its whole time to start. */
  async #startInTurn(): Promise<InitSession> {
    const { starts } = this.#options;
    const { signal } = this.#cut;
    await this.#within(late.waited, () => starts.enter(signal));
    try {
      return await this.#within(late.started, () => this.#start());
    } finally {
      starts.leave();
    }
  }

  async #within<T>(text: string, work: () => Promise<T>): Promise<T> {
    const deadline = setTimeout(
      () => this.#cut.abort(new ClawrdenError('start-timeout', text)),
      startTimeoutMs,
    );
    try {
      return await work();
    } finally {
      clearTimeout(deadline);
    }
  }

  async #start(): Promise<InitSession> {
    const { engine, container, plan } = this.#options;
    const { stream, explain, container: name } = await engine.startInit(container, plan, this.#cut.signal);
    this.#stream = stream;
    this.#container = name;
    const session = new InitSession(stream);
    onAbort(this.#cut.signal, () => session.destroy());
    try {
      await session.ready();
    } catch (error) {
      if (this.#cut.signal.aborted) throw error;
      throw new ClawrdenError('host-lost', (await explain()) || toClawrdenError(error).message);
    }
    return session;
  }

  #runIn(session: InitSession): Promise<InitEnd> {
    const { plan, command, early, send, pace, onStarted } = this.#options;
    const end = session.run({
      plan: initPlanOf(plan, command),
      send,
      startWithinMs: startTimeoutMs,
      pace,
      onStarted: (found) => onStarted(found, this.#container),
    });
    this.#session = session;
    for (const input of early.all()) session.input(input);
    // A stalled reader slows the tool down, but not the end of a command that was cut off.
    return abortable(end, this.#cut.signal);
  }

  #outcomeOf(end: InitEnd): Outcome {
    const { plan } = this.#options;
    if (end.type === 'exit') this.#usage = end.usage;
    const stopped = end.type === 'exit' && end.cause === 'cancel';
    if (stopped && this.#canceled !== undefined) return outcomeOf(this.#canceled);
    return outcomeOfEnd(end, {
      ...plan.limits,
      memoryBytes: 0,
      timeoutMs: plan.timeoutMs,
      idleTimeoutMs: plan.idleTimeoutMs,
    });
  }

  #outcomeOfFailure(error: unknown): Outcome {
    const signal = this.#options.early.endingSignal;
    if (signal !== undefined && this.#session === undefined) return { kind: 'interrupted', signal };
    const reason: unknown = this.#canceled ?? this.#cut.signal.reason;
    return outcomeOf(reason instanceof ClawrdenError ? reason : toClawrdenError(error));
  }
}
