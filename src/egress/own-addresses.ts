import { networkInterfaces } from 'node:os';
import { abortable, deadline } from '../abort.ts';
import { addressesIn } from './address-kind.ts';

/** What is never reached, whatever is written. */
export interface Own {
  readonly addresses: ReadonlySet<string>;
  /** Hosts of which no address was ever found. Any private address may be theirs. */
  readonly unfound: readonly string[];
}

export type OwnAddresses = (signal: AbortSignal) => Promise<Own>;

type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const keptMs = 60_000;
const unfoundMs = 5000;
const withinMs = 15_000;
/** To list the interfaces takes as long as all else of a check. An address that is newer is noticed by its connection. */
const listedMs = 1000;
const none: readonly string[] = [];

/** Those of this machine, and of `hosts`: names and addresses, looked up again after a minute. */
export function ownAddresses(hosts: () => readonly string[], resolve: Resolve): OwnAddresses {
  const kept = new Map<string, { readonly found: readonly string[]; readonly until: number }>();
  const looks = new Map<string, Promise<readonly string[]>>();

  async function look(host: string): Promise<readonly string[]> {
    using until = deadline(withinMs, () => new Error(`${host} was not found in time`));
    // What it had counts for as long as it cannot be looked up.
    const found = await resolve(host, until.signal).catch(() => kept.get(host)?.found ?? none);
    kept.set(host, { found, until: performance.now() + (found.length > 0 ? keptMs : unfoundMs) });
    return found;
  }

  /** Many connections wait for one look, and none of them ends it for the others. */
  async function addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const known = kept.get(host);
    if (known !== undefined && known.until > performance.now()) return known.found;
    const under = looks.get(host) ?? look(host).finally(() => looks.delete(host));
    looks.set(host, under);
    return await abortable(under, signal);
  }

  const interfaces = interfaceAddresses();
  let [addresses, madeOf] = [new Set<string>(), [] as readonly (readonly string[])[]];
  return async (signal) => {
    const named = hosts();
    const found = await Promise.all(named.map((host) => addressesOf(host, signal)));
    const lists = [interfaces(), ...found];
    const isSame = lists.length === madeOf.length && lists.every((list, at) => list === madeOf[at]);
    // To parse them all takes nearly as long as to connect.
    if (!isSame) [addresses, madeOf] = [new Set(lists.flat().flatMap(addressesIn)), lists];
    return { addresses, unfound: named.filter((_, at) => found[at]?.length === 0) };
  };
}

function interfaceAddresses(): () => readonly string[] {
  let [listed, until] = [[] as readonly string[], 0];
  return () => {
    if (performance.now() < until) return listed;
    listed = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    until = performance.now() + listedMs;
    return listed;
  };
}
