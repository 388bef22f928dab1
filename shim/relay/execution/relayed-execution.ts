import { setTimeout as sleep } from 'node:timers/promises';
import { onAbort } from '../../../src/abort.ts';
import type { AgentContainer } from '../../../src/agent-container.ts';
import type { Command, Identity } from '../../../src/command.ts';
import type { CrumbPace } from '../../../src/crumb-budgets.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { Gate } from '../../../src/gate.ts';
import type { GatewayClient } from '../../../src/gateway-client/connect-gateway.ts';
import {
  type ExecuteCall,
  type FromGateway,
  openExecuteCall,
  type ToGateway,
} from '../../../src/gateway-client/execute-call.ts';
import { CutOff } from '../../../src/gateway-client/execute-failure.ts';
import { type Reachable, reachGateway } from '../../../src/gateway-client/reach-gateway.ts';
import type { Pending, Start, Plan as WirePlan } from '../../../src/gen/clawrden/v1/execution.ts';
import type { Outcome } from '../../../src/outcome.ts';
import type { Input, Output } from '../../../src/wire/execution-io.ts';
import { toWireOutcome } from '../../../src/wire/outcome-message.ts';
import { EarlyInputs } from '../channel/early-inputs.ts';
import { Ack, type ShimChannel } from '../channel/shim-channel.ts';
import { toShim, toWireCommand, toWireCopy, toWireInput } from '../channel/wire-messages.ts';
import type { AgentEngine } from './agent-engine.ts';
import type { CommandTrace } from './command-trace.ts';
import { inspectHere } from './inspect-here.ts';
import { Mirror } from './mirror.ts';
import { readMirrorPlan } from './mirror-plan.ts';
import { toWireFound } from './wire-found.ts';

/** If the gateway does not answer a cancel in time, the stream counts as broken. */
const cancelTimeoutMs = 3000;
/** While a person is asked the gateway may go away and come back. It keeps a caller's place for this long, too. */
const returnWithinMs = 30_000;
const returnAfterMs = 200;

export interface ExecutionOptions {
  readonly shim: ShimChannel;
  readonly link: Pick<GatewayClient, 'execute'> & Reachable;
  readonly engine: AgentEngine;
  /** The parts of the agent's host that a command may need. */
  readonly mirrors: Set<Mirror>;
  readonly starts: Gate;
  /** The agent's container. */
  readonly container: AgentContainer;
  readonly executionId: string;
  readonly agent: string;
  readonly command: Command;
  readonly identity: Identity;
  /** What small frames of the agent's inits here are charged to. */
  readonly pace: CrumbPace;
  /** Absent if nobody is told of traces. */
  readonly trace?: CommandTrace | undefined;
}

/**
 * Carries one command between its shim and the gateway, and runs it here if the gateway says so. Resolves with its
 * outcome; rejects with a ClawrdenError if the gateway did not send one.
 */
export function relayExecution(options: ExecutionOptions): Promise<Outcome> {
  return new RelayedExecution(options).run();
}

class RelayedExecution {
  readonly #options: ExecutionOptions;
  readonly #shim: ShimChannel;
  readonly #early = new EarlyInputs();
  #call: ExecuteCall;
  #mirror: Mirror | undefined;
  /** Hash of the plan that a person is asked about. */
  #asked: string | undefined;
  #lostAt: number | undefined;
  #over = false;
  readonly #inspecting = new AbortController();

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#shim = options.shim;
    this.#call = this.#open({ $case: 'start', value: startOf(options) });
  }

  async run(): Promise<Outcome> {
    this.#shim.listen((input) => this.#onInput(input));
    const { gone } = this.#shim;
    onAbort(gone, () => this.#onGone(gone.reason as ClawrdenError));
    try {
      return await this.#outcome();
    } catch (error) {
      throw gone.aborted ? gone.reason : error;
    } finally {
      this.#over = true;
      this.#inspecting.abort();
      await this.#endMirror();
    }
  }

  #open(first: ToGateway): ExecuteCall {
    const { link, trace } = this.#options;
    trace?.mark('called');
    const stream = link.execute(trace?.traceparent);
    const call = openExecuteCall(stream, (response) => this.#onResponse(response));
    void call.send(first);
    return call;
  }

  async #outcome(): Promise<Outcome> {
    for (;;) {
      try {
        return await this.#call.outcome;
      } catch (error) {
        this.#lostAt ??= performance.now();
        const left = this.#lostAt + returnWithinMs - performance.now();
        if (this.#asked === undefined || !(error instanceof CutOff) || left <= 0) throw error;
        await this.#resume(this.#asked, left);
      }
    }
  }

  /** Never starts a second time: the gateway knows whether the plan may still run. */
  async #resume(planHash: string, withinMs: number): Promise<void> {
    const { link, executionId } = this.#options;
    await sleep(returnAfterMs);
    await reachGateway(link, withinMs, this.#shim.gone);
    this.#call = this.#open({ $case: 'resume', value: { executionId, planHash } });
    for (const input of this.#early.all()) void this.#call.send(toWireInput(input));
    // It came while nobody was there to hear it.
    const { endingSignal: signal } = this.#early;
    if (signal !== undefined) void this.#call.send(toWireInput({ type: 'signal', signal }));
  }

  #onInput(input: Input): Promise<void> | undefined {
    if (this.#mirror !== undefined) {
      this.#mirror.input(input);
      return undefined;
    }
    this.#early.keep(input);
    return this.#call.send(toWireInput(input));
  }

  #onGone(reason: ClawrdenError): void {
    if (this.#mirror !== undefined) this.#mirror.cancel(reason);
    else
      void this.#call.send({ $case: 'cancel', value: { requesterGone: reason.code === 'requester-gone' } });
    // A mirror takes up to 3 s to end, and its end must still be reported.
    const patience = this.#mirror === undefined ? cancelTimeoutMs : 2 * cancelTimeoutMs;
    setTimeout(() => this.#call.cancel(), patience).unref();
  }

  #onResponse(response: FromGateway): Promise<void> | undefined {
    this.#lostAt = undefined;
    if (response.$case !== 'pending' && response.$case !== 'notice') this.#asked = undefined;
    switch (response.$case) {
      case 'pending':
        return this.#onPending(response.value);
      case 'accepted':
        return this.#shim.ack(Ack.allowed);
      case 'inspectHere':
        return this.#inspectHere(response.value);
      case 'runHere':
        return this.#runHere(response.value);
      case 'runOriginal':
        return this.#runOriginal();
      default: {
        // A notice before the decision gives the reason for the delay: from here on the shim waits without a limit.
        if (response.$case === 'notice') this.#shim.ack(Ack.pending);
        const output = toShim(response);
        return output && this.#shim.send(output);
      }
    }
  }

  /** The gateway repeats it to a relay that came back; the shim must not see it again. */
  #onPending({ approvalId, planHash }: Pending): Promise<void> | undefined {
    if (this.#asked === planHash) return undefined;
    this.#asked = planHash;
    this.#shim.ack(Ack.pending);
    return this.#shim.send({ type: 'notice', text: `waiting for approval ${approvalId}` });
  }

  /** The scripts are inspected before a person is asked: from here on the shim waits without a limit. */
  #inspectHere(wire: WirePlan): undefined {
    const { engine, starts, container } = this.#options;
    this.#shim.ack(Ack.pending);
    const plan = readMirrorPlan(wire, this.#options);
    void inspectHere({ engine, starts, container, plan, signal: this.#inspecting.signal }).then((value) =>
      this.#tell({ $case: 'inspected', value }),
    );
  }

  #runOriginal(): undefined {
    if (this.#options.command.version === 0) {
      throw new ClawrdenError('internal', 'the gateway lets a shim run the original that cannot');
    }
    this.#shim.ack(Ack.runOriginal);
  }

  #runHere(plan: WirePlan): undefined {
    const { engine, container, command, mirrors, starts, pace, trace } = this.#options;
    if (this.#shim.gone.aborted || this.#mirror !== undefined) return;
    trace?.mark('running');
    this.#shim.ack(Ack.allowed);
    const mirror = new Mirror({
      engine,
      starts,
      container,
      plan: readMirrorPlan(plan, this.#options),
      command,
      early: this.#early,
      pace,
      send: (output) => this.#sendAndCopy(output),
      onStarted: (found, name) => {
        trace?.mark('started');
        this.#tell({
          $case: 'started',
          value: { host: '', container: name, found: toWireFound(found) },
        });
      },
    });
    this.#mirror = mirror;
    mirrors.add(mirror);
    void mirror.end.then((outcome) => {
      mirrors.delete(mirror);
      trace?.mark('ended');
      this.#tell({
        $case: 'mirrorEnd',
        value: { ...toWireOutcome(outcome), usage: mirror.usage },
      });
    });
  }

  /** It waits for nothing, but the agent pays for it. */
  #tell(message: ToGateway): void {
    this.#options.pace(1);
    void this.#call.send(message);
  }

  /** The shim gets no output that the gateway can no longer record. */
  #sendAndCopy(output: Output): Promise<void> | undefined {
    if (this.#over) return undefined;
    const copy = toWireCopy(output);
    return both(copy && this.#call.send(copy), this.#shim.send(output));
  }

  /** The gateway's outcome may come before the mirror's own end; nothing keeps running. */
  async #endMirror(): Promise<void> {
    this.#mirror?.cancel(new ClawrdenError('canceled', 'the gateway ended it'));
    await this.#mirror?.end;
  }
}

function startOf({ executionId, agent, command, identity }: ExecutionOptions): Start {
  return {
    executionId,
    agent,
    command: toWireCommand(command),
    identity: { ...identity },
    refusal: undefined,
    hostLabels: [],
  };
}

function both(one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined {
  return one && other ? Promise.all([one, other]).then(() => {}) : (one ?? other);
}
