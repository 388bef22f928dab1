import { createServer, type Server, type Socket } from 'node:net';
import type { RequestLimits } from '../../../src/config/relay-config.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import { reportRefusal } from '../channel/report-refusal.ts';
import { turnAway } from '../channel/shim-end.ts';
import { Connection, type ConnectionContext } from './connection.ts';
import { foldReports } from './folded-reports.ts';
import { createAgentBudget } from './request/agent-budget.ts';
import type { Peer } from './request/identity-refusal.ts';
import type { ParseTurn } from './request/parse-turns.ts';
import { type KeptSocket, keepSocket } from './socket/keep-socket.ts';

const maxConnections = 256;
const maxHandshakes = 64;
/** Refused clients may read their answer; above this number they are disconnected without one. */
const maxSockets = 512;

export interface ListenerOptions extends Omit<ConnectionContext, 'budget' | 'reportTooMuch'> {
  /** Shared by all of the agent's clients. */
  readonly limits: RequestLimits;
  /** Shared by all agents of the relay. */
  readonly turn: ParseTurn;
  /** The kernel's credentials of the process at the other end. */
  readonly peerOf: (socket: Socket) => Peer;
  /** Has the listening server before a client can connect. */
  readonly guardSocket: (server: Server) => void;
}

/** Serves one agent's socket. A client can cost another client only its place. */
export class AgentListener {
  readonly #options: ListenerOptions;
  readonly #context: ConnectionContext;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Each with the promise of its end. */
  readonly #connections = new Map<Connection, Promise<void>>();
  /** Sockets whose request is not complete, oldest first. */
  readonly #handshakes = new Set<Socket>();
  #kept: KeptSocket | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { agent, limits, turn } = options;
    const budget = createAgentBudget(agent.name, limits, turn);
    this.#context = { ...options, budget, reportTooMuch: foldReports((refusal) => this.#report(refusal)) };
    // Half open: a client that has sent its last byte still gets its outcome.
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) =>
      this.#accept(socket),
    );
  }

  async listen(): Promise<void> {
    const { agent, guardSocket } = this.#options;
    this.#kept = await keepSocket(this.#server, agent.socket, guardSocket, (text) => this.#socketLost(text));
    // For example, no descriptors are left: only this client fails, the next one may be served.
    this.#server.on('error', (error) => this.#warn({}, `a connection was not accepted: ${error.message}`));
  }

  /** Takes no new connections, and removes the socket. */
  async close(): Promise<void> {
    await this.#kept?.close();
  }

  /** The same; resolves when the open connections have ended. */
  async drain(): Promise<void> {
    await this.close();
    await Promise.all(this.#connections.values());
  }

  /** Ends every open connection within 5 s. */
  cancelAll(reason: ClawrdenError): void {
    for (const connection of this.#connections.keys()) connection.cancel(reason);
  }

  /** Reports an incident for the audit: only this user and root can do that. */
  #socketLost(text: string): void {
    const { agent, link } = this.#options;
    const refusal = new ClawrdenError('socket-replaced', text);
    this.#warn({ reason: refusal.code }, text);
    const identity = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
    void reportRefusal(link, { agent: agent.name, refusal, identity, command: undefined }).catch(() => {});
  }

  #accept(socket: Socket): void {
    // The close that follows reports it. Without a listener Node would throw it at the process.
    socket.on('error', () => {});
    if (this.#sockets.size >= maxSockets) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#connections.size >= maxConnections) this.#turnAway(socket);
    else this.#attest(socket);
  }

  #attest(socket: Socket): void {
    try {
      this.#serve(socket, this.#options.peerOf(socket));
    } catch (error) {
      socket.destroy();
      this.#warn({}, `the kernel did not say who connected: ${toClawrdenError(error).message}`);
    }
  }

  #turnAway(socket: Socket): void {
    const text = `this agent has ${maxConnections} commands open; wait for one to end`;
    const refusal = new ClawrdenError('rate-limit', text);
    turnAway(socket, refusal);
    this.#context.reportTooMuch(refusal);
    this.#warn({ reason: 'rate-limit' }, text);
  }

  #serve(socket: Socket, peer: Peer): void {
    this.#makeRoom();
    const connection = new Connection(socket, peer, this.#context);
    this.#handshakes.add(socket);
    void connection.received.then(() => this.#handshakes.delete(socket));
    const done = connection
      .serve()
      .catch((error: Error) => this.#warn({ dropped: error.name }, error.message));
    this.#connections.set(
      connection,
      done.finally(() => this.#connections.delete(connection)),
    );
  }

  /** The oldest unfinished request is dropped: an honest client sends its request at once. */
  #makeRoom(): void {
    if (this.#handshakes.size < maxHandshakes) return;
    const [oldest] = this.#handshakes;
    if (oldest === undefined) return;
    this.#handshakes.delete(oldest);
    oldest.destroy();
  }

  /** Reported together, so that a flood here does not become a flood at the gateway. */
  #report(refusal: ClawrdenError): void {
    const { agent, link } = this.#options;
    const [identity] = agent.users;
    void reportRefusal(link, { agent: agent.name, refusal, identity, command: undefined }).catch(() => {});
  }

  #warn(fields: object, message: string): void {
    const { agent, warn } = this.#options;
    warn({ agent: agent.name, ...fields }, message);
  }
}
