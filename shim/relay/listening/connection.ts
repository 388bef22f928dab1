import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../../../src/abort.ts';
import type { Command } from '../../../src/command.ts';
import type { ServedConfig } from '../../../src/config/told-agents.ts';
import { type ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import { newExecutionId } from '../../../src/execution-id.ts';
import type { Gate } from '../../../src/gate.ts';
import type { GatewayClient } from '../../../src/gateway-client/connect-gateway.ts';
import { type Reachable, reachGateway } from '../../../src/gateway-client/reach-gateway.ts';
import { type Outcome, outcomeOf } from '../../../src/outcome.ts';
import type { SpanExporter } from '../../../src/traces/span-exporter.ts';
import type { CallTurns } from '../channel/call-turns.ts';
import { reportRefusal } from '../channel/report-refusal.ts';
import { ShimChannel } from '../channel/shim-channel.ts';
import { refuseShim, turnAway } from '../channel/shim-end.ts';
import type { AgentEngine } from '../execution/agent-engine.ts';
import { type CommandTrace, startCommandTrace } from '../execution/command-trace.ts';
import type { Mirror } from '../execution/mirror.ts';
import { relayExecution } from '../execution/relayed-execution.ts';
import type { ClientLog } from './client-log.ts';
import type { ReportTooMuch } from './folded-reports.ts';
import { type Admission, admitRequest } from './request/admit-request.ts';
import type { AgentBudget } from './request/agent-budget.ts';
import type { Peer } from './request/identity-refusal.ts';
import { receiveRequest } from './request/receive-request.ts';

export interface ConnectionContext extends ClientLog {
  readonly agent: ServedConfig;
  readonly link: Pick<GatewayClient, 'execute'> & Reachable;
  readonly engine: AgentEngine;
  /** This agent's commands that run here now. */
  readonly mirrors: Set<Mirror>;
  /** Those of them that start. */
  readonly starts: Gate;
  /** Shared by all of this agent's clients. */
  readonly budget: AgentBudget;
  readonly reportTooMuch: ReportTooMuch;
  /** Shared by all agents of the relay. */
  readonly callTurns: CallTurns;
  /** Takes over a connection that asks for the agent's way out; false if nobody waits for it. */
  readonly offerWayOut: (agent: string, socket: Socket) => boolean;
  /** Absent if nobody is told of traces. */
  readonly spans?: SpanExporter | undefined;
}

const requestTimeoutMs = 10_000;
const reachTimeoutMs = 10_000;
const reportWaitMs = 1000;
const cancelTimeoutMs = 5000;
const noWayOut = Buffer.of(1);

/** One shim's connection, from the first byte to the last: one request, one execution. */
export class Connection {
  readonly #socket: Socket;
  readonly #peer: Peer;
  readonly #context: ConnectionContext;
  readonly #told: Promise<void>;
  readonly #beganAt = Date.now();
  #shim: ShimChannel | undefined;
  #body: Promise<Buffer> | undefined;
  /** Resolves when the request is complete, or can never be. */
  readonly received: Promise<void>;

  constructor(socket: Socket, peer: Peer, context: ConnectionContext) {
    this.#socket = socket;
    this.#peer = peer;
    this.#context = context;
    this.#told = new Promise((resolve) => {
      socket.once('finish', resolve).once('close', resolve);
    });
    this.#body = receiveRequest(socket, requestTimeoutMs, context.budget.takeRequest);
    this.received = this.#body.then(ignore, ignore);
  }

  /**
   * Resolves when the client has received its outcome; a client that does not read delays that. If the client broke
   * the protocol before its request was read, destroys the connection and rejects with a FrameError.
   */
  async serve(): Promise<void> {
    try {
      const { command, refusal } = await this.#admit();
      if (refusal?.code === 'rate-limit') this.#turnAway(refusal);
      else if (refusal !== undefined) await this.#refuse(refusal, command);
      else if (command === undefined) return await this.#giveWayOut();
      else await this.#run(command);
      await this.#told;
    } catch (error) {
      this.#socket.destroy();
      throw error;
    }
  }

  /** Ends it within 5 s. */
  cancel(reason: ClawrdenError): void {
    if (this.#shim === undefined) this.#socket.destroy();
    else this.#shim.cancel(reason);
    setTimeout(() => this.#socket.destroy(), cancelTimeoutMs).unref();
  }

  /** Releases the request's bytes, because a command may run for hours. */
  #admit(): Promise<Admission> {
    const body = this.#body ?? Promise.reject(new Error('a connection is served once'));
    this.#body = undefined;
    const { agent, budget } = this.#context;
    return admitRequest(body, this.#peer, agent.users, budget);
  }

  /** Until it ends. */
  async #giveWayOut(): Promise<void> {
    const { agent, offerWayOut, warn } = this.#context;
    const closed = once(this.#socket, 'close');
    if (!offerWayOut(agent.name, this.#socket)) {
      this.#socket.end(noWayOut);
      this.#socket.resume();
      warn({ agent: agent.name, ...this.#peer }, 'a program asked for a way out that is not kept now');
    }
    await closed;
  }

  #turnAway(refusal: ClawrdenError): void {
    const { agent, warn, reportTooMuch } = this.#context;
    turnAway(this.#socket, refusal);
    reportTooMuch(refusal);
    warn({ agent: agent.name, reason: refusal.code }, refusal.message);
  }

  /** The gateway records it; the client's answer waits for that for 1 s at most. */
  async #refuse(refusal: ClawrdenError, command: Command | undefined): Promise<void> {
    const { agent, warn } = this.#context;
    const report = this.#tell(refusal, command);
    await Promise.race([report, sleep(reportWaitMs)]);
    refuseShim(this.#socket, refusal);
    const recorded = await report;
    warn({ agent: agent.name, ...this.#peer, reason: refusal.code, recorded }, refusal.message);
  }

  async #tell(refusal: ClawrdenError, command: Command | undefined): Promise<boolean> {
    const { agent, link, callTurns } = this.#context;
    await callTurns(agent.name);
    return await reportRefusal(link, { agent: agent.name, refusal, identity: this.#peer, command });
  }

  async #run(command: Command): Promise<void> {
    const { agent, tellEnd, spans } = this.#context;
    const executionId = newExecutionId();
    const start = performance.now();
    const trace = spans && startCommandTrace(spans, this.#beganAt);
    trace?.mark('received');
    this.#shim = new ShimChannel(this.#socket, command.version, this.#context.budget.waitBefore);
    const outcome = await this.#outcomeOf(this.#shim, command, executionId, trace);
    trace?.mark('answered');
    this.#shim.finish(outcome);
    if (trace !== undefined)
      void this.#told.then(() => trace.tell({ agent: agent.name, executionId, outcome }));
    tellEnd({ agent: agent.name, executionId, outcome, ms: Math.round(performance.now() - start) }, 'ended');
  }

  async #outcomeOf(
    shim: ShimChannel,
    command: Command,
    executionId: string,
    trace: CommandTrace | undefined,
  ): Promise<Outcome> {
    const { agent, link, engine, mirrors, starts, budget, callTurns } = this.#context;
    try {
      await reachGateway(link, reachTimeoutMs, shim.gone);
      const turn = callTurns(agent.name);
      if (turn !== undefined) await abortable(turn, shim.gone);
      const { name, container } = agent;
      return await relayExecution({
        ...{ shim, link, engine, mirrors, starts, container, executionId, command, trace },
        agent: name,
        identity: this.#peer,
        pace: budget.pace,
      });
    } catch (error) {
      return outcomeOf(toClawrdenError(error));
    }
  }
}

function ignore(): void {}
