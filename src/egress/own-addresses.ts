import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortable, deadline } from '../abort.ts';
import { addressesIn } from './address-kind.ts';

/** What is never reached, whatever is written. */
export interface Own {
  readonly addresses: ReadonlySet<string>;
  /** Hosts that the machine itself never found. Any private address may be theirs. */
  readonly unfound: readonly string[];
}

export type OwnAddresses = (signal: AbortSignal) => Promise<Own>;

/** All addresses of a host. Rejects if there are none, or if it is not known. */
export type Find = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const keptMs = 60_000;
const unfoundMs = 5000;
const withinMs = 15_000;
/** Only the first look at a host is waited for longer: all connections wait, whatever they are to. */
const patienceMs = 1000;
/** To list the interfaces takes as long as all else of a check. An address that is newer is noticed by its connection. */
const listedMs = 1000;
const none: readonly string[] = [];

/**
 * Those of this machine, and of `hosts`: names and addresses, of which each of `finds` is asked again after a minute. The
 * first is the machine itself, as it connects to engines.
 */
export function ownAddresses(hosts: () => readonly string[], finds: readonly Find[]): OwnAddresses {
  const asked = finds.map((find, at) => keepFound(find, at === 0 ? unfoundMs : keptMs));
  const interfaces = interfaceAddresses();
  let [addresses, madeOf] = [new Set<string>(), [] as readonly (readonly string[])[]];
  return async (signal) => {
    const named = hosts();
    const found = await Promise.all(
      named.map((host) => Promise.all(asked.map((find) => find(host, signal)))),
    );
    const lists = [interfaces(), ...found.flat()];
    const isSame = lists.length === madeOf.length && lists.every((list, at) => list === madeOf[at]);
    // To parse them all takes nearly as long as to connect.
    if (!isSame) [addresses, madeOf] = [new Set(lists.flat().flatMap(addressesIn)), lists];
    return { addresses, unfound: named.filter((_, at) => found[at]?.[0]?.length === 0) };
  };
}

interface Look {
  readonly whole: Promise<void>;
  readonly brief: Promise<void>;
}

/** Finds nothing where that rejects. What it found counts until it finds another: a look that failed says nothing. */
function keepFound(find: Find, unfoundForMs: number): Find {
  const kept = new Map<string, { readonly found: readonly string[]; readonly until: number }>();
  const looks = new Map<string, Look>();

  const addressesOf: Find = async (host, signal) => (isIP(host) === 0 ? await find(host, signal) : [host]);

  async function look(host: string): Promise<void> {
    using until = deadline(withinMs, () => new Error(`${host} was not found in time`));
    const before = kept.get(host)?.found ?? none;
    const found = await abortable(addressesOf(host, until.signal), until.signal).catch(() => before);
    const forMs = found.length > 0 ? keptMs : unfoundForMs;
    kept.set(host, { found, until: performance.now() + forMs });
  }

  function begin(host: string): Look {
    const whole = look(host).finally(() => looks.delete(host));
    const begun = { whole, brief: Promise.race([whole, sleep(patienceMs, undefined, { ref: false })]) };
    looks.set(host, begun);
    return begun;
  }

  /** Many connections wait for one look, and none of them ends it for the others. */
  return async (host, signal) => {
    const known = kept.get(host);
    if (known !== undefined && known.until > performance.now()) return known.found;
    const { whole, brief } = looks.get(host) ?? begin(host);
    await abortable(known === undefined ? whole : brief, signal);
    return kept.get(host)?.found ?? none;
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
