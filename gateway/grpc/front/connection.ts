import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { RelayServiceService } from '../../../src/gen/clawrden/v1/relay.ts';
import { TlsRecords } from '../../../src/tls/tls-records.ts';
import type { Counted } from '../../connections/bounds.ts';
import type { Admission, Checked } from '../../ports/authentication.ts';
import { FrameOverhead } from './frame-overhead.ts';
import type { Pace } from './pace.ts';
import type { PeerShare } from './peer-share.ts';
import type { RelayPlace } from './relay-place.ts';
import { windowBytes } from './server-credentials.ts';

/** How long a peer may keep what is over: a call that was answered, or a session's socket after its last call. */
const lingerMs = 1000;

/** A relay's calls are answered only after its Synchronize, and every call needs a token. */
const aheadPaths: ReadonlySet<string> = new Set([
  RelayServiceService.synchronize.path,
  RelayServiceService.token.path,
]);

/**
 * One TCP connection, from accept to close. Takes the necessary parts of its TLS and HTTP/2 once, when they exist.
 */
export class Connection implements Counted {
  readonly address: string;
  /** For the log. */
  readonly peer: string;
  name: string | undefined;
  /** Everything that it opens counts for its address, and for the name that it showed. */
  readonly ofAddress: PeerShare;
  ofName: PeerShare | undefined;
  /** Destroyed: bytes that were read from it earlier do not count any more. */
  isDropped = false;
  readonly records: TlsRecords;
  readonly frames = new FrameOverhead();
  readonly #raw: Socket;
  readonly #pace: Pace;
  readonly #since = performance.now();
  /** If its certificate is a relay's. */
  place: RelayPlace | undefined;
  #admission: Admission | undefined;
  #tls: TLSSocket | undefined;
  #session: ServerHttp2Session | undefined;
  /** Open calls, with the time when their answer was complete. */
  readonly #streams = new Map<ServerHttp2Stream, number>();
  /** Paths of open calls that went ahead. */
  readonly #ahead = new Set<string>();
  #called = false;
  #idleSince = this.#since;
  #overSince: number | undefined;

  constructor(raw: Socket, pace: Pace, ofAddress: PeerShare) {
    this.#raw = raw;
    this.records = new TlsRecords(raw, 'client');
    this.ofAddress = ofAddress;
    this.#pace = pace;
    this.address = raw.remoteAddress ?? '';
    this.peer = `${raw.remoteAddress}:${raw.remotePort}`;
  }

  get shares(): readonly PeerShare[] {
    return this.ofName === undefined ? [this.ofAddress] : [this.ofAddress, this.ofName];
  }

  /** The name and address, as far as they are known. */
  get share(): PeerShare {
    return this.ofName ?? this.ofAddress;
  }

  /** Its TLS handshake was completed. */
  get isSecured(): boolean {
    return this.#tls !== undefined;
  }

  /** The name in its certificate; undefined if it was not asked for one. */
  get admission(): Admission | undefined {
    return this.#admission;
  }

  secured(tls: TLSSocket, admission: Admission | undefined): void {
    this.#tls = tls;
    this.frames.secured(tls);
    this.#admission = admission;
    this.#idleSince = performance.now();
  }

  /** The session reads its first frame after this. */
  opened(session: ServerHttp2Session): void {
    this.#session = session;
    session.setLocalWindowSize(windowBytes);
  }

  streamed(stream: ServerHttp2Stream): void {
    this.#streams.set(stream, Number.POSITIVE_INFINITY);
    this.frames.called(stream);
    this.#called = true;
    stream.once('finish', () => this.#streams.has(stream) && this.#streams.set(stream, performance.now()));
    stream.once('close', () => {
      this.#streams.delete(stream);
      this.#idleSince = performance.now();
    });
  }

  /** Whether a new call goes ahead of all others, because they wait for it. One of each kind does at a time. */
  goesAhead(stream: ServerHttp2Stream, path: string | undefined): boolean {
    if (path === undefined || !aheadPaths.has(path) || this.#ahead.has(path)) return false;
    this.#ahead.add(path);
    stream.once('close', () => this.#ahead.delete(path));
    return true;
  }

  /** Ends calls that were answered some time ago, if their caller does not end its side. */
  endAnswered(): void {
    const latest = performance.now() - lingerMs;
    for (const [stream, answeredAt] of this.#streams) {
      if (answeredAt >= latest) continue;
      stream.close(constants.NGHTTP2_NO_ERROR);
      // Node keeps it until what has come is read, and that may wait for a rate.
      stream.resume();
    }
  }

  /** Why it must not continue; then call `end`. */
  problem(): string | undefined {
    const now = performance.now();
    const { handshakeMs, firstCallMs, idleMs, lifeMs } = this.#pace;
    if (this.#tls === undefined) return late(now - this.#since, handshakeMs, 'no TLS handshake');
    const checked: Checked<unknown> | undefined = this.#admission?.check();
    if (checked !== undefined && 'refused' in checked) return checked.refused;
    const adrift = this.place?.problem();
    if (adrift !== undefined) return adrift;
    if (lifeMs !== undefined && now - this.#since > lifeMs) return `it has lasted ${lifeMs / 1000} s`;
    if (this.#streams.size > 0) return undefined;
    return this.#called
      ? late(now - this.#idleSince, idleMs, 'no call')
      : late(now - this.#idleSince, firstCallMs, 'no first call');
  }

  /** Looks at what never became a call, a frame or even a session; why it must end at once, if there is too much. */
  flood(): string | undefined {
    if (this.records.isHandshakeTooLong()) return 'its TLS handshake is far too long';
    if (!this.share.mayCarry(this.records.takeOverhead()))
      return 'far too many TLS records that carry next to nothing';
    return this.share.mayFrame(this.frames.take())
      ? undefined
      : 'far too many HTTP/2 frames that no call needs';
  }

  /** Ends its session with every call on it, and tells the peer. */
  end(): void {
    if (this.#session === undefined) this.destroy();
    else this.#session.destroy();
  }

  /** Whether the session is over while the socket is still open: a peer may keep its end open for ever. */
  lingers(): boolean {
    const session = this.#session;
    const over = session?.destroyed || (session?.closed && this.#streams.size === 0);
    if (!over) return false;
    this.#overSince ??= performance.now();
    return performance.now() - this.#overSince >= lingerMs;
  }

  /** At once, whatever the peer does. */
  destroy(): void {
    this.isDropped = true;
    this.#tls?.destroy();
    this.#raw.destroy();
  }
}

function late(ms: number, limitMs: number, what: string): string | undefined {
  return ms > limitMs ? `${what} within ${limitMs / 1000} s` : undefined;
}
