import { addressKey } from './address-key.ts';
import { Crowd } from './crowd.ts';

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

/** A counted connection. It is proven, and has a name, once it has shown whose it is, until that name gives it up. */
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
/** And one whose handshake failed: its peer chose what that cost, up to 20 ms. It is owed, so that ten a second are left. */
const failedTokens = 9;
/** Of so many of the oldest without a name one goes: as many as the smallest listener has. */
const oldestOnes = 64;

interface Address<T extends Counted> {
  open: number;
  tokens: number;
  at: number;
  readonly crowd: Crowd<T>;
}

/**
 * A connection that has shown a certificate is never displaced by one that has not. If there is no room, an old one
 * without a name goes, of the address that has most of those, so that a flood displaces itself. Those with a name never take all places,
 * of the listener or of an address: the name that has the most gives up one, which then goes as if it had none.
 */
export class ConnectionBounds<T extends Counted> {
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  readonly #addresses = new Map<string, Address<T>>();
  readonly #all: Crowd<T>;
  #open = 0;

  constructor(limits: ConnectionLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#all = new Crowd(limits.connections);
  }

  /**
   * Counts a new connection. Refuses it if its address connects too often or has too many; `displaced` is the
   * connection without a proven name that must go for it.
   */
  add(connection: T): Placed<T> {
    const address = this.#addressOf(connection.address);
    const placed = this.#place(address);
    spend(address, 1);
    if ('refused' in placed) return placed;
    if (placed.displaced !== undefined) this.#forget(placed.displaced);
    address.open += 1;
    this.#open += 1;
    address.crowd.unproven.add(connection);
    this.#all.unproven.add(connection);
    return placed;
  }

  /**
   * Gives a connection its name; false if that name has `most` already, as many as an address may have, or as many as
   * anybody while there is no room for more.
   */
  prove(connection: T, name: string, most = this.#limits.perAddress): boolean {
    if (this.#all.count(name) >= Math.min(most, this.#limits.perAddress)) return false;
    const { crowd } = this.#addressOf(connection.address);
    const ofAddress = crowd.placeFor(name);
    const ofAll = this.#all.placeFor(name);
    if (ofAddress === undefined || ofAll === undefined) return false;
    // Who gives up a place of the address gives up one of all.
    const instead = ofAddress.instead ?? ofAll.instead;
    if (instead !== undefined) this.#unprove(instead);
    connection.name = name;
    crowd.prove(connection, name);
    this.#all.prove(connection, name);
    return true;
  }

  /** The connection has cost far more than a handshake: if it has no name, its address may connect less often. */
  flooded({ name, address }: T): void {
    if (name === undefined) spend(this.#addressOf(address), floodTokens);
  }

  /** Call it once for each counted connection. */
  remove(connection: T, hasFailed = false): void {
    // It owes for a second at most: others may be behind the same address.
    if (hasFailed) spend(this.#addressOf(connection.address), failedTokens, -perSecond);
    const address = this.#addresses.get(addressKey(connection.address));
    if (address !== undefined) address.open -= 1;
    this.#open -= 1;
    this.#forget(connection);
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
    const displaced = own ? address.crowd.unproven.values().next().value : this.#oldestOfCrowd();
    if (displaced !== undefined) return { displaced };
    return { refused: own ? 'its address has too many connections' : 'there are too many connections' };
  }

  /** Of the address that has most of the oldest: a flood from few addresses displaces nobody else's. */
  #oldestOfCrowd(): T | undefined {
    let [found, most] = [undefined as T | undefined, 0];
    let left = oldestOnes;
    for (const each of this.#all.unproven) {
      if (left === 0) break;
      left -= 1;
      const count = this.#addresses.get(addressKey(each.address))?.crowd.unproven.size ?? 0;
      if (count > most) [found, most] = [each, count];
    }
    return found;
  }

  #addressOf(text: string): Address<T> {
    const key = addressKey(text);
    const known = this.#addresses.get(key) ?? {
      open: 0,
      tokens: burst,
      at: 0,
      crowd: this.#crowdOfAddress(),
    };
    this.#addresses.set(key, known);
    known.tokens = this.#tokensOf(known);
    known.at = this.#now();
    return known;
  }

  #tokensOf({ tokens, at }: Address<T>): number {
    return Math.min(burst, tokens + ((this.#now() - at) / 1000) * perSecond);
  }

  #crowdOfAddress(): Crowd<T> {
    const { perAddress, areProxies = false } = this.#limits;
    return new Crowd(areProxies ? Number.POSITIVE_INFINITY : perAddress);
  }

  #unprove(connection: T): void {
    this.#forget(connection);
    connection.name = undefined;
    this.#addressOf(connection.address).crowd.unproven.add(connection);
    this.#all.unproven.add(connection);
  }

  #forget(connection: T): void {
    this.#addresses.get(addressKey(connection.address))?.crowd.remove(connection);
    this.#all.remove(connection);
  }
}

/** No further than to `floor`; what is below it already stays. */
function spend(address: { tokens: number }, tokens: number, floor = 0): void {
  address.tokens = Math.max(address.tokens - tokens, Math.min(address.tokens, floor));
}
