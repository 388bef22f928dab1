import type { ServerHttp2Stream } from 'node:http2';
import { RelayServiceService } from '../../../src/gen/clawrden/v1/relay.ts';
import { recordOverhead, recordsPerSecond } from '../../../src/tls/tls-records.ts';
import { type TokenBucket, tokenBucket } from '../../../src/token-bucket.ts';
import type { Turned } from './call-turns.ts';
import { both, type Charge, waiting } from './charge.ts';
import { frameBytes } from './frame-overhead.ts';
import { Reads, reflectionPaths } from './reads.ts';
import { RequestTurns } from './request-turns.ts';
import type { Held, Holder } from './unfinished-messages.ts';

/** What one peer may have open, over all its connections. */
export interface ShareLimits {
  readonly calls: number;
  /** Of these, calls that are served and have not brought a whole message yet; the others wait. */
  readonly unheard: number;
  /** New calls each second; twice as many at once. */
  readonly callsPerSecond: number;
  /** Refused calls, before the connection over which they come ends. */
  readonly refusalsPerSecond: number;
  /** TLS records beyond what its content needs; twice as many at once. */
  readonly recordsPerSecond: number;
  /** Frames beyond what its calls need; twice as many at once. */
  readonly framesPerSecond: number;
  /** Small messages within lanes and questions of reflection; twice as many at once. What comes beyond waits. */
  readonly messagesPerSecond: number;
  /** Bytes of a relay's reports; four times as many at once. What comes beyond waits. */
  readonly reportBytesPerSecond: number;
  /** Values of all its messages; twice as many at once. Behind more, messages that may have many wait. */
  readonly valuesPerSecond: number;
}

/** A relay serves 256 commands of each of its agents at once. */
export const nameLimits: ShareLimits = {
  calls: 2000,
  unheard: 256,
  callsPerSecond: 2000,
  refusalsPerSecond: 1000,
  recordsPerSecond,
  framesPerSecond: 20_000,
  messagesPerSecond: 20_000,
  reportBytesPerSecond: 1024 * 1024,
  // A command with its environment has a hundred or two.
  valuesPerSecond: 1_000_000,
};

/** Several relays may be behind one address. */
export const addressLimits: ShareLimits = {
  calls: 8000,
  unheard: 1024,
  callsPerSecond: 8000,
  refusalsPerSecond: 4000,
  recordsPerSecond,
  framesPerSecond: 20_000,
  messagesPerSecond: 20_000,
  reportBytesPerSecond: 1024 * 1024,
  valuesPerSecond: 1_000_000,
};

/** How long a name that asked for far too much is not admitted. */
const outMs = 5000;

/** The least that a report costs, however small it is. */
const reportBytes = 1024;
/** Each agent of `Execute` has a rate of its own, and other calls bring one message. */
const chargedPaths: ReadonlySet<string> = new Set([
  ...[RelayServiceService.carry.path, RelayServiceService.wayOut.path],
  ...reflectionPaths,
]);

/** What one peer has open: all connections with one certificate's name, or of one address. */
export class PeerShare implements Held, Turned {
  readonly perTurn = 16;
  readonly reads: Reads;
  heldBytes = 0;
  readonly holders = new Set<Holder>();
  /** How many connections share it. */
  connections = 0;
  readonly #limits: ShareLimits;
  readonly #now: () => number;
  readonly #rate: TokenBucket;
  readonly #refusals: TokenBucket;
  readonly #records: TokenBucket;
  readonly #frames: TokenBucket;
  readonly #messages: TokenBucket;
  readonly #reports: TokenBucket;
  readonly #values: TokenBucket;
  readonly #requestTurns: RequestTurns;
  /** Reports do not wait for what else the relay sends. */
  readonly #reportTurns = new RequestTurns({ waitMs: () => 0 });
  readonly #unheard = new Set<ServerHttp2Stream>();
  #calls = 0;
  #outUntil = Number.NEGATIVE_INFINITY;

  constructor(limits: ShareLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.reads = new Reads(this, now);
    this.#rate = tokenBucket(limits.callsPerSecond, now);
    this.#refusals = tokenBucket(limits.refusalsPerSecond, now);
    this.#records = tokenBucket(limits.recordsPerSecond * recordOverhead, now);
    this.#frames = tokenBucket(limits.framesPerSecond * frameBytes, now);
    this.#messages = tokenBucket(limits.messagesPerSecond, now);
    this.#reports = tokenBucket(limits.reportBytesPerSecond, now, 4 * limits.reportBytesPerSecond);
    this.#values = tokenBucket(limits.valuesPerSecond, now);
    this.#requestTurns = new RequestTurns(this.#values);
  }

  /**
   * Counts a call until it closes. If it is one too many, returns why: the call must then be reset, and is not
   * counted. One that goes ahead is never too many: the calls that are open may wait for it.
   */
  take(stream: ServerHttp2Stream, isAhead: boolean): string | undefined {
    const { calls, callsPerSecond } = this.#limits;
    if (!this.#rate.take(1)) return `more than ${callsPerSecond} calls a second`;
    if (this.#calls >= calls && !isAhead) return `more than ${calls} calls at once`;
    this.#calls += 1;
    stream.once('close', () => {
      this.#calls -= 1;
      this.#unheard.delete(stream);
    });
    return undefined;
  }

  mayPass(): boolean {
    return this.#unheard.size < this.#limits.unheard;
  }

  /** From now on a counted call is served. */
  served(stream: ServerHttp2Stream): void {
    if (!stream.destroyed) this.#unheard.add(stream);
  }

  /** The call has brought a whole message. */
  heard(stream: ServerHttp2Stream): void {
    this.#unheard.delete(stream);
  }

  /** Counts a refused call; false if so many calls of the peer were refused that its connection must end. */
  mayGoOn(): boolean {
    if (this.#refusals.take(1)) return true;
    this.putOut();
    return false;
  }

  /** Counts bytes of TLS records that carried nothing; false if the connection that sent them must end. */
  mayCarry(overhead: number): boolean {
    return overhead === 0 || this.#records.take(overhead);
  }

  /** Counts bytes of frames that no call needed; false if the connection that sent them must end. */
  mayFrame(overhead: number): boolean {
    return overhead === 0 || this.#frames.take(overhead);
  }

  /** How what comes within such a call is charged, beside what serves the call. */
  chargeOf(path: string | undefined): Charge {
    if (path === RelayServiceService.synchronize.path) {
      const ofReport: Charge = waiting(({ bytes, messages }) =>
        charge(this.#reports, bytes.length + messages * reportBytes),
      );
      return both(ofReport, this.#reportTurns.charge);
    }
    if (path !== undefined && chargedPaths.has(path))
      return waiting(({ small }) => (small === 0 ? 0 : charge(this.#messages, small)));
    return this.#requestTurns.charge;
  }

  /** A message that came had so many values. */
  decoded(values: number): void {
    this.#values.owe(values);
  }

  putOut(): void {
    this.#outUntil = this.#now() + outMs;
  }

  isOut(): boolean {
    return this.#now() < this.#outUntil;
  }

  /** Whether it can be forgotten without any effect. */
  isAtRest(): boolean {
    const rates = [this.#rate, this.#records, this.#frames, this.#messages, this.#reports, this.#values];
    const isFull = rates.every((rate) => rate.isFull());
    return this.connections === 0 && !this.isOut() && isFull;
  }
}

/** Takes more than there is: each piece that waits gets its turn, and the next one waits longer. */
function charge(bucket: TokenBucket, amount: number): number {
  const waitMs = bucket.waitMs();
  bucket.owe(amount);
  return waitMs;
}

/** The shares of one listener, by key. */
export class PeerShares {
  readonly #shares = new Map<string, PeerShare>();

  /** The caller must return it with `leave`, once. */
  enter(key: string, limits: ShareLimits): PeerShare {
    const share = this.#shares.get(key) ?? new PeerShare(limits);
    this.#shares.set(key, share);
    share.connections += 1;
    return share;
  }

  leave(share: PeerShare): void {
    share.connections -= 1;
  }

  tidy(): void {
    for (const [key, share] of this.#shares) {
      share.reads.endUnread();
      if (share.isAtRest()) this.#shares.delete(key);
    }
  }
}
