import { networkInterfaces } from 'node:os';
import { addressesIn } from './address-kind.ts';

/** Addresses that are never reached, whatever is written. */
export type OwnAddresses = (signal: AbortSignal) => Promise<ReadonlySet<string>>;

type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const keptMs = 60_000;
/** To list the interfaces takes as long as all else of a check. An address that is newer is noticed by its connection. */
const listedMs = 1000;

/** Those of this machine, and of `hosts`: names and addresses, looked up again after a minute. */
export function ownAddresses(hosts: () => readonly string[], resolve: Resolve): OwnAddresses {
  const kept = new Map<string, { readonly found: readonly string[]; readonly until: number }>();

  async function addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const known = kept.get(host);
    if (known !== undefined && known.until > performance.now()) return known.found;
    // What it had counts for as long as it cannot be looked up.
    const found = await resolve(host, signal).catch(() => known?.found ?? []);
    signal.throwIfAborted();
    kept.set(host, { found, until: performance.now() + keptMs });
    return found;
  }

  const interfaces = interfaceAddresses();
  let [own, madeOf] = [new Set<string>(), [] as readonly (readonly string[])[]];
  return async (signal) => {
    const lists = [interfaces(), ...(await Promise.all(hosts().map((host) => addressesOf(host, signal))))];
    const isSame = lists.length === madeOf.length && lists.every((list, at) => list === madeOf[at]);
    // To parse them all takes nearly as long as to connect.
    if (!isSame) [own, madeOf] = [new Set(lists.flat().flatMap(addressesIn)), lists];
    return own;
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
