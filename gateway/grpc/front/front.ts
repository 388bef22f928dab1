import type { EventEmitter } from 'node:events';
import {
  constants,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { Faults } from '../../../src/faults.ts';
import { addressKey, connectionKey } from '../../connections/address-key.ts';
import { ConnectionBounds, type ConnectionLimits, relayConnections } from '../../connections/bounds.ts';
import type { Admission, Checked } from '../../ports/authentication.ts';
import type { RelayRegistry } from '../../ports/relay-state.ts';
import { CallTurns, type Turned } from './call-turns.ts';
import { Connection } from './connection.ts';
import { type CountedReasons, countedReasons } from './counted-reasons.ts';
import { intercept } from './intercept.ts';
import type { Pace } from './pace.ts';
import { addressLimits, nameLimits, PeerShares } from './peer-share.ts';
import { isRead } from './reads.ts';
import { RelayPlace } from './relay-place.ts';
import { type ServedCall, servedOver } from './served-call.ts';
import { type Hearing, unfinishedMessages } from './unfinished-messages.ts';

export interface FrontRules {
  readonly limits: ConnectionLimits;
  readonly pace: Pace;
  /** If this returns a reason, no client is admitted: connections end when they are accepted. */
  readonly shut?: () => string | undefined;
  /** Checks the certificate at the end of the handshake; if absent, clients show no certificate. */
  readonly admit?: (der: Uint8Array) => Checked<Admission>;
  /** Needed if relays are admitted. */
  readonly relays?: Pick<RelayRegistry, 'isElsewhere' | 'adrift'>;
  readonly faults: Faults;
  readonly log: Logger;
}

const lookMs = 1000;
/** A flood of TLS records has to end sooner. */
const weighMs = 100;
const protocol = 'h2';

/**
 * Stands between the network and grpc-js. It bounds the connections of a listener, ends those that must not continue,
 * and contains every error of one of them.
 */
export class Front implements Disposable {
  readonly #rules: FrontRules;
  readonly #bounds: ConnectionBounds<Connection>;
  readonly #open = new Map<string, Connection>();
  readonly #sessions = new WeakMap<object, Connection>();
  readonly #ended: CountedReasons;
  readonly #connected: CountedReasons;
  readonly #unfinished = unfinishedMessages();
  readonly #shares = new PeerShares();
  readonly #turns: CallTurns<Turned>;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #lookAt: (connection: Connection) => void;
  #serving: ServedCall | undefined;

  constructor(rules: FrontRules) {
    const { faults, limits, log, pace } = rules;
    this.#rules = rules;
    this.#bounds = new ConnectionBounds(limits);
    this.#ended = countedReasons((entry) => log.warn(entry, 'connections ended'));
    this.#turns = new CallTurns(pace.firstMessageMs, (turn) => faults.guard('calls', turn));
    this.#connected = countedReasons(({ reason, ...entry }) =>
      log.info({ who: reason, ...entry }, 'connected'),
    );
    const destroy = (connection: Connection) => connection.destroy();
    this.#lookAt = faults.guard('connection', (connection: Connection) => this.#check(connection), destroy);
    const every = (ms: number, run: () => void) => setInterval(faults.guard('connections', run), ms).unref();
    this.#timers = [every(lookMs, () => this.#tick()), every(weighMs, () => this.#weigh())];
  }

  /** Call it before the server listens. */
  attach = (server: Http2SecureServer): void => {
    const { guard } = this.#rules.faults;
    const destroy = (_pass: unknown, it: { destroy: () => unknown }) => void it.destroy();
    const onAccept = (pass: () => void, raw: Socket) => this.#accept(pass, raw);
    const onSecured = (pass: () => void, socket: TLSSocket) => this.#secured(server, pass, socket);
    const onStream = (pass: () => void, stream: ServerHttp2Stream, ...more: StreamArguments) =>
      this.#streamed(pass, stream, ...more);
    intercept(server, 'connection', guard('accept', onAccept, destroy));
    intercept(server, 'secureConnection', guard('handshake', onSecured, destroy));
    intercept(server, 'stream', guard('stream', onStream, destroy));
    // If no descriptor is left for the next connection, the server continues with the open ones.
    server.on('error', (error) => this.#ended.tell(`accept: ${error.message}`, ''));
  };

  /** The call that is being handed to grpc-js, which makes its interceptors during that. */
  serving = (): ServedCall | undefined => this.#serving;

  /** Ends at once the connections that must not continue. */
  look = (): void => {
    for (const connection of this.#open.values()) this.#lookAt(connection);
  };

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#connected.flush();
    this.#ended.flush();
    for (const connection of this.#open.values()) connection.end();
    const destroyAll = () => {
      for (const connection of this.#open.values()) connection.destroy();
    };
    setTimeout(this.#rules.faults.guard('connections', destroyAll), lookMs).unref();
  }

  #accept(pass: () => void, raw: Socket): void {
    const ofAddress = this.#shares.enter(addressKey(raw.remoteAddress ?? ''), addressLimits);
    const connection = new Connection(raw, this.#rules.pace, ofAddress);
    raw.on('error', () => {});
    raw.once('close', () => {
      for (const share of connection.shares) this.#shares.leave(share);
    });
    const shut = this.#rules.shut?.();
    const placed = shut === undefined ? this.#bounds.add(connection) : { refused: shut };
    if ('refused' in placed) return this.#drop(connection, placed.refused);
    const key = connectionKey(raw);
    this.#open.set(key, connection);
    raw.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
      this.#bounds.remove(connection, !connection.isSecured);
    });
    if (placed.displaced !== undefined)
      this.#drop(placed.displaced, 'another came, and it had shown no name or one of the most connections');
    pass();
  }

  #secured(server: EventEmitter, pass: () => void, socket: TLSSocket): void {
    const connection = this.#open.get(connectionKey(socket));
    if (connection === undefined) return void socket.destroy();
    const admitted = this.#admit(connection, socket);
    if ('refused' in admitted) return this.#drop(connection, admitted.refused);
    const flood = connection.flood();
    if (flood !== undefined) return this.#flooded(connection, flood);
    connection.secured(socket, admitted.value);
    const onFlood = () => this.#flooded(connection, 'it updated its TLS keys far too often');
    connection.records.secured(socket, this.#rules.faults.guard('records', onFlood));
    if (admitted.value !== undefined) this.#welcome(connection, admitted.value);
    // grpc-js does not expose its sessions. This one is made during the call.
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
    const refused = this.#name(connection, admitted.value);
    return refused === undefined ? admitted : { refused };
  }

  /** Says why this peer may not have another connection. */
  #name(connection: Connection, { peer: { kind, name } }: Admission): string | undefined {
    const key = `${kind}:${name}`;
    const most = kind === 'relay' ? relayConnections : undefined;
    if (!this.#bounds.prove(connection, key, most)) return `${kind} ${name} has too many connections`;
    const share = this.#shares.enter(key, nameLimits);
    connection.ofName = share;
    return share.isOut() ? `${kind} ${name} asked for far too much a moment ago` : undefined;
  }

  #welcome(connection: Connection, { peer: { kind, name }, fingerprint, serial }: Admission): void {
    this.#connected.tell(
      `${kind}:${name} from ${connection.address}, certificate ${serial}`,
      connection.peer,
    );
    const { relays, pace } = this.#rules;
    if (kind !== 'relay' || relays === undefined) return;
    connection.place = new RelayPlace({
      synchronizeMs: pace.synchronizeMs,
      end: () => connection.end(),
      isElsewhere: () => relays.isElsewhere(name, fingerprint),
      onAdrift: () => relays.adrift(name, { peer: connection.peer, fingerprint, serial }),
    });
  }

  #streamed(pass: () => void, stream: ServerHttp2Stream, ...[headers, , raw]: StreamArguments): void {
    // A call that waits for its turn has no other listener: a fault of its session would be uncaught.
    stream.on('error', () => {});
    const connection = stream.session && this.#sessions.get(stream.session);
    // Meanwhile the session may have ended, or its connection was dropped with more calls to read.
    if (connection === undefined || connection.isDropped || stream.destroyed) return void stream.destroy();
    const refuse = (why: string) => this.#refuse(connection, stream, why);
    const path = headers[':path'];
    const isAhead = connection.goesAhead(stream, path);
    const counted = this.#unfinished.count(stream, connection.share, { isAhead, refuse });
    const [refused] = connection.shares.flatMap((share) => share.take(stream, isAhead) ?? []);
    if (refused !== undefined) return refuse(refused);
    connection.streamed(stream);
    const served = servedOver(connection, path, raw, counted);
    const serve = () => {
      if (connection.isDropped || stream.destroyed) return;
      this.#toGrpc(pass, served);
      counted.watch({ ...served, ...this.#hearing(stream, connection) });
    };
    // Calls that wait for it may have taken all places of those without a message.
    if (isAhead) return serve();
    const reads = isRead(path) ? connection.share.reads : undefined;
    const inTurn = () => {
      for (const share of connection.shares) share.served(stream);
      reads?.served(stream);
      serve();
    };
    const leave = this.#turns.add(reads ?? connection.share, {
      since: performance.now(),
      pass: this.#rules.faults.guard('stream', inTurn, () => void stream.destroy()),
      refuse,
    });
    stream.once('close', () => {
      leave();
      this.#turns.goOn();
    });
  }

  #toGrpc(pass: () => void, served: ServedCall): void {
    this.#serving = served;
    try {
      pass();
    } finally {
      this.#serving = undefined;
    }
  }

  #hearing(stream: ServerHttp2Stream, connection: Connection): Hearing {
    return {
      onContent: (bytes) => {
        if (connection.frames.read(bytes)) this.#endFlood(connection);
      },
      onMessage: () => connection.frames.message(),
      onRequest: () => {
        for (const share of connection.shares) share.heard(stream);
        this.#turns.goOn();
      },
    };
  }

  /** Ends only the call, unless there are very many of them. */
  #refuse(connection: Connection, stream: ServerHttp2Stream, reason: string): void {
    if (stream.destroyed) return;
    stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    connection.frames.refused();
    this.#ended.tell(`call refused: ${reason}`, connection.peer);
    const mayGoOn = connection.shares.map((share) => share.mayGoOn()).every(Boolean);
    if (!mayGoOn && !connection.isDropped) this.#drop(connection, 'far too many calls');
  }

  #check(connection: Connection): void {
    if (connection.lingers()) return connection.destroy();
    connection.endAnswered();
    const problem = connection.problem();
    if (problem === undefined) return;
    this.#ended.tell(problem, connection.peer);
    connection.end();
  }

  #weigh(): void {
    for (const connection of this.#open.values()) this.#endFlood(connection);
  }

  #endFlood(connection: Connection): void {
    const flood = connection.isDropped ? undefined : connection.flood();
    if (flood !== undefined) this.#flooded(connection, flood);
  }

  #flooded(connection: Connection, reason: string): void {
    connection.ofName?.putOut();
    this.#bounds.flooded(connection);
    this.#drop(connection, reason);
  }

  #drop(connection: Connection, reason: string): void {
    this.#ended.tell(reason, connection.peer);
    connection.destroy();
  }

  #tick(): void {
    this.look();
    this.#bounds.tidy();
    this.#turns.tidy();
    this.#shares.tidy();
    this.#connected.flush();
    this.#ended.flush();
  }
}

type StreamArguments = readonly [headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]];
