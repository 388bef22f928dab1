import type { EventEmitter } from 'node:events';
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { Faults } from '../../src/faults.ts';
import type { Admission, Checked } from '../ports/authentication.ts';
import { Connection } from './connection.ts';
import { ConnectionBounds, type ConnectionLimits } from './connection-bounds.ts';
import { type CountedReasons, countedReasons } from './counted-reasons.ts';
import { intercept } from './intercept.ts';
import type { Pace } from './pace.ts';
import { unfinishedMessages } from './unfinished-messages.ts';

export interface FrontRules {
  readonly limits: ConnectionLimits;
  readonly pace: Pace;
  /** Where this says why, nobody is let in: connections end when they are accepted. */
  readonly shut?: () => string | undefined;
  /** Takes the certificate at the end of the handshake; left out: clients show none. */
  readonly admit?: (der: Uint8Array) => Checked<Admission>;
  readonly faults: Faults;
  readonly log: Logger;
}

export interface ServedCall {
  /** Of its connection; none where clients are not asked for a certificate. */
  readonly admission: Admission | undefined;
  /** How often this header is there: Node keeps the first and hides the others. */
  readonly authorizations: number;
}

const lookMs = 1000;
const protocol = 'h2';

/**
 * What stands between the network and grpc-js: it bounds the connections of a listener, ends those that must not go on,
 * and lets nothing that goes wrong with one of them out.
 */
export class Front implements Disposable {
  readonly #rules: FrontRules;
  readonly #bounds: ConnectionBounds<Connection>;
  readonly #open = new Map<string, Connection>();
  readonly #sessions = new WeakMap<object, Connection>();
  readonly #ended: CountedReasons;
  readonly #unfinished = unfinishedMessages();
  readonly #timer: NodeJS.Timeout;
  readonly #lookAt: (connection: Connection) => void;
  #serving: ServedCall | undefined;

  constructor(rules: FrontRules) {
    const { faults, limits, log } = rules;
    this.#rules = rules;
    this.#bounds = new ConnectionBounds(limits);
    this.#ended = countedReasons((entry) => log.warn(entry, 'connections ended'));
    const destroy = (connection: Connection) => connection.destroy();
    this.#lookAt = faults.guard('connection', (connection: Connection) => this.#check(connection), destroy);
    this.#timer = setInterval(
      faults.guard('connections', () => this.#tick()),
      lookMs,
    ).unref();
  }

  /** To be called before the server listens. */
  attach = (server: Http2SecureServer): void => {
    const { guard } = this.#rules.faults;
    const destroy = (_pass: unknown, it: { destroy: () => unknown }) => void it.destroy();
    const onAccept = (pass: () => void, raw: Socket) => this.#accept(pass, raw);
    const onSecured = (pass: () => void, socket: TLSSocket) => this.#secured(server, pass, socket);
    const onStream = (pass: () => void, stream: ServerHttp2Stream, ...[, , headers]: StreamArguments) =>
      this.#streamed(pass, stream, headers);
    intercept(server, 'connection', guard('accept', onAccept, destroy));
    intercept(server, 'secureConnection', guard('handshake', onSecured, destroy));
    intercept(server, 'stream', guard('stream', onStream, destroy));
    // Where no descriptor is left for the next connection, the server goes on with those it has.
    server.on('error', (error) => this.#ended.tell(`accept: ${error.message}`, ''));
  };

  /** The call that is being handed to grpc-js: its interceptors are made within that. */
  serving = (): ServedCall | undefined => this.#serving;

  /** Ends at once those that must not go on. */
  look = (): void => {
    for (const connection of this.#open.values()) this.#lookAt(connection);
  };

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#ended.flush();
    for (const connection of this.#open.values()) connection.end();
    const destroyAll = () => {
      for (const connection of this.#open.values()) connection.destroy();
    };
    setTimeout(this.#rules.faults.guard('connections', destroyAll), lookMs).unref();
  }

  #accept(pass: () => void, raw: Socket): void {
    const connection = new Connection(raw, this.#rules.pace);
    raw.on('error', () => {});
    const shut = this.#rules.shut?.();
    const placed = shut === undefined ? this.#bounds.add(connection) : { refused: shut };
    if ('refused' in placed) return this.#drop(connection, placed.refused);
    const key = keyOf(raw);
    this.#open.set(key, connection);
    raw.once('close', () => {
      this.#open.delete(key);
      this.#bounds.remove(connection);
    });
    if (placed.displaced !== undefined)
      this.#drop(placed.displaced, 'another came before it had shown who it is');
    pass();
  }

  #secured(server: EventEmitter, pass: () => void, socket: TLSSocket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection === undefined) return void socket.destroy();
    const admitted = this.#admit(connection, socket);
    if ('refused' in admitted) return this.#drop(connection, admitted.refused);
    connection.secured(socket, admitted.value);
    // grpc-js shows its sessions to nobody. This one is made within the call.
    const opened = (session: ServerHttp2Session) => {
      this.#sessions.set(session, connection);
      connection.opened(session);
    };
    server.once('session', opened);
    pass();
    server.removeListener('session', opened);
  }

  #admit(connection: Connection, socket: TLSSocket): Checked<Admission | undefined> {
    if (socket.alpnProtocol !== protocol) return { refused: 'it does not speak HTTP/2' };
    if (this.#rules.admit === undefined) return { value: undefined };
    const der = socket.getPeerCertificate()?.raw;
    if (der === undefined) return { refused: 'it has no certificate any more' };
    const admitted = this.#rules.admit(der);
    if ('refused' in admitted) return admitted;
    const { kind, name } = admitted.value.peer;
    if (this.#bounds.prove(connection, `${kind}:${name}`)) return admitted;
    return { refused: `${kind} ${name} has too many connections` };
  }

  #streamed(pass: () => void, stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    const connection = stream.session && this.#sessions.get(stream.session);
    // The session may have ended between the frame and now.
    if (connection === undefined || stream.destroyed) return void stream.destroy();
    connection.streamed(stream);
    const isAuthorization = (text: string, index: number) => index % 2 === 0 && text === 'authorization';
    const authorizations = rawHeaders.filter(isAuthorization).length;
    this.#serving = { admission: connection.admission, authorizations };
    try {
      pass();
    } finally {
      this.#serving = undefined;
    }
    this.#unfinished.watch(stream, connection);
  }

  #check(connection: Connection): void {
    if (connection.lingers()) return connection.destroy();
    connection.endAnswered();
    const problem = connection.problem();
    if (problem === undefined) return;
    this.#ended.tell(problem, connection.peer);
    connection.end();
  }

  #drop(connection: Connection, reason: string): void {
    this.#ended.tell(reason, connection.peer);
    connection.destroy();
  }

  #tick(): void {
    this.look();
    this.#bounds.tidy();
    this.#ended.flush();
  }
}

type StreamArguments = readonly [headers: object, flags: number, rawHeaders: readonly string[]];

/** Both ends: a remote port alone may be in use twice, towards two addresses of ours. */
function keyOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress}:${localPort} ${remoteAddress}:${remotePort}`;
}
