import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Admission, Checked } from '../authentication.ts';
import type { Counted } from './connection-bounds.ts';
import { windowBytes } from './server-credentials.ts';

/** How long a connection may take, in milliseconds. */
export interface ConnectionTimes {
  /** From its start to the end of the TLS handshake. */
  readonly handshakeMs: number;
  /** From the handshake to its first call. */
  readonly firstCallMs: number;
  /** Without a call. */
  readonly idleMs: number;
  /** In all; left out: as long as its certificate counts. */
  readonly lifeMs?: number;
}

/** How long after its last call, or after it was destroyed, a session that has ended may hold its socket. */
const lingerMs = 1000;

/** One TCP connection, from accept to close. What is needed of its TLS and HTTP/2 is taken once, when it is there. */
export class Connection implements Counted {
  readonly address: string;
  /** For the log. */
  readonly peer: string;
  name: string | undefined;
  readonly #raw: Socket;
  readonly #times: ConnectionTimes;
  readonly #since = performance.now();
  #admission: Admission | undefined;
  #tls: TLSSocket | undefined;
  #session: ServerHttp2Session | undefined;
  #streams = 0;
  #called = false;
  #idleSince = this.#since;
  #overSince: number | undefined;

  constructor(raw: Socket, times: ConnectionTimes) {
    this.#raw = raw;
    this.#times = times;
    this.address = raw.remoteAddress ?? '';
    this.peer = `${raw.remoteAddress}:${raw.remotePort}`;
  }

  /** Whose certificate it showed; none where it was not asked for one. */
  get admission(): Admission | undefined {
    return this.#admission;
  }

  secured(tls: TLSSocket, admission: Admission | undefined): void {
    this.#tls = tls;
    this.#admission = admission;
    this.#idleSince = performance.now();
  }

  /** The session reads its first frame after this. */
  opened(session: ServerHttp2Session): void {
    this.#session = session;
    session.setLocalWindowSize(windowBytes);
  }

  streamed(stream: ServerHttp2Stream): void {
    this.#streams += 1;
    this.#called = true;
    stream.once('close', () => {
      this.#streams -= 1;
      this.#idleSince = performance.now();
    });
  }

  /** Why it must not go on; it is ended by `end` then. */
  problem(): string | undefined {
    const now = performance.now();
    const { handshakeMs, firstCallMs, idleMs, lifeMs } = this.#times;
    if (this.#tls === undefined) return late(now - this.#since, handshakeMs, 'no TLS handshake');
    const checked: Checked<unknown> | undefined = this.#admission?.check();
    if (checked !== undefined && 'refused' in checked) return checked.refused;
    if (lifeMs !== undefined && now - this.#since > lifeMs) return `it has lasted ${lifeMs / 1000} s`;
    if (this.#streams > 0) return undefined;
    return this.#called
      ? late(now - this.#idleSince, idleMs, 'no call')
      : late(now - this.#idleSince, firstCallMs, 'no first call');
  }

  /** Ends its session, which tells the peer, with every call on it. */
  end(): void {
    if (this.#session === undefined) this.destroy();
    else this.#session.destroy();
  }

  /** Whether the session is over, and the socket still held after that: a peer may keep its end open for ever. */
  lingers(): boolean {
    const session = this.#session;
    const over = session?.destroyed || (session?.closed && this.#streams === 0);
    if (!over) return false;
    this.#overSince ??= performance.now();
    return performance.now() - this.#overSince >= lingerMs;
  }

  /** At once, whatever the peer does. */
  destroy(): void {
    this.#tls?.destroy();
    this.#raw.destroy();
  }
}

function late(ms: number, limitMs: number, what: string): string | undefined {
  return ms > limitMs ? `${what} within ${limitMs / 1000} s` : undefined;
}
