import { addressKey } from './address-key.ts';

/** How many connections one listener serves. */
export interface ConnectionLimits {
  readonly connections: number;
  /** Most connections of one address, and of one person's name. */
  readonly perAddress: number;
  /** Its addresses are proxies, each of which brings many clients: only all of them together are bounded. */
  readonly areProxies?: boolean;
}

/**
 * Most connections of one relay's name. It needs one, and a second while it renews its certificate; others are dead,
 * but not noticed as dead yet.
 */
export const relayConnections = 8;

/** A counted connection. It is proven once its handshake has shown whose it is. */
export interface Counted {
  readonly address: string;
  name: string | undefined;
}

type Placed<T> = { readonly refused: string } | { readonly displaced: T | undefined };

/**
 * New connections of one address: so many at once, and so many a second. A handshake costs a millisecond of processor
 * time.
 */
const burst = 200;
const perSecond = 100;
/** What one counts for that flooded us without a name. */
const floodTokens = 50;

interface Address<T> {
  open: number;
  tokens: number;
  at: number;
  /** In order of arrival. */
  readonly unproven: Set<T>;
}

/**
 * A connection that has shown a certificate is never displaced by one that has not. If there is no room, the oldest
 * connection without a name goes, so that a flood of those displaces itself.
 */
export class ConnectionBounds<T extends Counted> {
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  readonly #addresses = new Map<string, Address<T>>();
  readonly #names = new Map<string, number>();
  readonly #unproven = new Set<T>();
  #open = 0;

  constructor(limits: ConnectionLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Counts a new connection. Refuses it if its address connects too often or has too many; `displaced` is the
   * connection without a proven name that must go for it.
   */
  add(connection: T): Placed<T> {
    const address = this.#addressOf(connection.address);
    const placed = this.#place(address);
    address.tokens = Math.max(address.tokens - 1, 0);
    if ('refused' in placed) return placed;
    if (placed.displaced !== undefined) this.#forgetUnproven(placed.displaced);
    address.open += 1;
    this.#open += 1;
    address.unproven.add(connection);
    this.#unproven.add(connection);
    return placed;
  }

  /** Gives a connection its name; false if that name has `most` already, or as many as an address may have. */
  prove(connection: T, name: string, most = this.#limits.perAddress): boolean {
    const count = this.#names.get(name) ?? 0;
    if (count >= Math.min(most, this.#limits.perAddress)) return false;
    this.#names.set(name, count + 1);
    connection.name = name;
    this.#forgetUnproven(connection);
    return true;
  }

  /** The connection has cost far more than a handshake: if it has no name, its address may connect less often. */
  flooded({ name, address }: T): void {
    if (name !== undefined) return;
    const known = this.#addressOf(address);
    known.tokens = Math.max(known.tokens - floodTokens, 0);
  }

  /** Call it once for each counted connection. */
  remove(connection: T): void {
    const address = this.#addresses.get(addressKey(connection.address));
    if (address !== undefined) address.open -= 1;
    this.#open -= 1;
    this.#forgetUnproven(connection);
    const { name } = connection;
    if (name === undefined) return;
    const left = (this.#names.get(name) ?? 1) - 1;
    if (left === 0) this.#names.delete(name);
    else this.#names.set(name, left);
  }

  /** Forgets addresses without connections that have been quiet for long enough. */
  tidy(): void {
    for (const [key, address] of this.#addresses)
      if (address.open === 0 && this.#tokensOf(address) >= burst) this.#addresses.delete(key);
  }

  #place(address: Address<T>): Placed<T> {
    const { connections, perAddress, areProxies = false } = this.#limits;
    if (!areProxies && address.tokens < 1) return { refused: 'its address connects too often' };
    const own = !areProxies && address.open >= perAddress;
    if (!own && this.#open < connections) return { displaced: undefined };
    const [oldest] = own ? address.unproven : this.#unproven;
    if (oldest !== undefined) return { displaced: oldest };
    return { refused: own ? 'its address has too many connections' : 'there are too many connections' };
  }

  #addressOf(text: string): Address<T> {
    const key = addressKey(text);
    const known = this.#addresses.get(key) ?? { open: 0, tokens: burst, at: 0, unproven: new Set<T>() };
    this.#addresses.set(key, known);
    known.tokens = this.#tokensOf(known);
    known.at = this.#now();
    return known;
  }

  #tokensOf({ tokens, at }: Address<T>): number {
    return Math.min(burst, tokens + ((this.#now() - at) / 1000) * perSecond);
  }

  #forgetUnproven(connection: T): void {
    this.#addresses.get(addressKey(connection.address))?.unproven.delete(connection);
    this.#unproven.delete(connection);
  }
}
