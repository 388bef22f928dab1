import { onAbort } from '../../src/abort.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { contract } from '../../src/wire/contract.ts';
import type {
  RelayAddress,
  RelayConnection,
  RelayRegistry,
  RelayReport,
  RelayState,
} from '../ports/relay-state.ts';
import { boundedReport, hasOtherNames } from './bounded-report.ts';
import { createDisplacedPlaces, type Place } from './displaced-places.ts';

/** What a relay reported about an agent; `undefined` if the relay is not connected or has not reported it. */
export type AgentReport = RelayReport['agents'][number];

export interface Relays extends RelayRegistry {
  readonly report: (agent: AgentConfig) => AgentReport | undefined;
  /** By the name of its relay. */
  readonly places: () => ReadonlyMap<string, RelayPlace>;
  /** Relays that serve nothing because they need more of a gateway than this one has, with their versions. */
  readonly refusing: () => ReadonlyMap<string, string>;
  /** Sends every connected relay the state that it should have. */
  readonly tellAll: () => void;
  /** Sends it to this relay; to all, if none is named. */
  readonly tell: (relay: string | undefined) => void;
  /**
   * From now on relays keep new commands for the next gateway. Resolves when each that is connected has reported since;
   * never, if one does not.
   */
  readonly leave: () => Promise<void>;
  /**
   * Resolves when every place that uses the relay's identity has reported the agent as halted, also a place that was
   * displaced a moment ago. Never resolves if one of them does not report it, or if no relay is connected.
   */
  readonly halted: (agent: AgentConfig) => Promise<void>;
  /** `ADDRESS:PORT` of the places that must report it. */
  readonly peersOf: (agent: AgentConfig) => readonly string[];
}

/** Where a relay is connected, since when, and as what. */
export interface RelayPlace {
  readonly peer: string;
  readonly fingerprint: string;
  /** Epoch milliseconds; certificates that it renewed over the connection do not count. */
  readonly since: number;
  /** Empty before its first report. */
  readonly version: string;
}

interface Connected extends RelayConnection {
  readonly since: number;
  readonly place: Place;
  report: RelayReport | undefined;
}

/** Far longer than the kill switch waits for a halt. */
const listenMs = 10_000;

/**
 * An identity is used in a second place, or its first connection was lost without being noticed; or it is used over a
 * connection that does not synchronize; or it reports something that no relay has a reason to report.
 */
export type RelayIncident = 'relay-displaced' | 'relay-unsynchronized' | 'relay-impossible';

export interface RelaysOptions {
  readonly stateFor: (relay: string) => RelayState;
  readonly onIncident: (incident: RelayIncident, relay: string, text: string) => void;
}

/**
 * The relays that are connected now, by name. The newest stream of a relay counts. It ends the stream before it, and
 * that stream's connection too unless the same relay has renewed its certificate.
 */
export function createRelays(options: RelaysOptions): Relays {
  return new ConnectedRelays(options);
}

class ConnectedRelays implements Relays {
  readonly #options: RelaysOptions;
  readonly #connected = new Map<string, Connected>();
  readonly #displaced = createDisplacedPlaces();
  readonly #listeners = new Set<(relay: string, from: Connected) => void>();
  readonly #refusing = new Map<string, string>();
  #leaving = false;

  constructor(options: RelaysOptions) {
    this.#options = options;
  }

  connect: Relays['connect'] = (relay, connection, signal) => {
    const known = this.#take(relay, connection, signal);
    const forget = () => {
      if (this.#connected.get(relay) === known) this.#connected.delete(relay);
    };
    onAbort(signal, forget);
    connection.push(this.#stateOf(relay));
    return (report) => {
      // Reports of a displaced relay do not count any more.
      if (this.#connected.get(relay) !== known) return;
      if (hasOtherNames(report))
        this.impossible(relay, `${known.peer}: it reports a tool by a name that no tool has`);
      const bounded = boundedReport(report, this.#options.stateFor(relay));
      const isRefusing = report.contract > contract;
      known.report = isRefusing ? { ...bounded, agents: [] } : bounded;
      if (isRefusing) this.#refusing.set(relay, bounded.version);
      else this.#refusing.delete(relay);
      for (const notify of this.#listeners) notify(relay, known);
    };
  };

  isElsewhere: Relays['isElsewhere'] = (relay, fingerprint) => {
    const known = this.#connected.get(relay);
    return known !== undefined && !isRenewed(known, fingerprint);
  };

  adrift: Relays['adrift'] = (relay, address) => {
    const known = this.#connected.get(relay);
    const beside = known === undefined ? 'nor does any other place' : `${addressOf(known)} does`;
    const text = `relay ${relay} is used from ${addressOf(address)}, which does not synchronize; ${beside}`;
    this.#options.onIncident('relay-unsynchronized', relay, text);
  };

  impossible: Relays['impossible'] = (relay, text) =>
    this.#options.onIncident('relay-impossible', relay, `relay ${relay} at ${text}`);

  report: Relays['report'] = ({ relay, name }) =>
    this.#connected.get(relay)?.report?.agents.find((agent) => agent.name === name);

  places: Relays['places'] = () =>
    new Map(
      [...this.#connected].map(([relay, { peer, fingerprint, since, report }]) => [
        relay,
        { peer, fingerprint, since, version: report?.version ?? '' },
      ]),
    );

  refusing: Relays['refusing'] = () => this.#refusing;

  tellAll = (): void => {
    for (const [relay, { push }] of this.#connected) push(this.#stateOf(relay));
  };

  tell: Relays['tell'] = (relay) => {
    if (relay === undefined) this.tellAll();
    else this.#connected.get(relay)?.push(this.#stateOf(relay));
  };

  leave: Relays['leave'] = () => {
    this.#leaving = true;
    const waiting = new Set(this.#connected.keys());
    const { promise, resolve } = Promise.withResolvers<void>();
    const told = (relay: string) => {
      waiting.delete(relay);
      if (waiting.size === 0) resolve();
    };
    told('');
    this.#listeners.add(told);
    this.tellAll();
    return promise;
  };

  halted: Relays['halted'] = (agent) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#placesOf(agent.relay);
    // The last report may be older than the halt: only a new one counts.
    const notify = (relay: string, { place }: Connected) => {
      if (relay !== agent.relay) return;
      if (this.report(agent)?.halted === true) waiting.delete(place);
      else waiting.add(place);
      if (waiting.size > 0) return;
      this.#listeners.delete(notify);
      resolve();
    };
    if (waiting.size > 0) this.#listeners.add(notify);
    setTimeout(() => this.#listeners.delete(notify), listenMs).unref();
    return promise;
  };

  peersOf: Relays['peersOf'] = ({ relay }) => [...this.#placesOf(relay)].map(({ peer }) => peer);

  #stateOf(relay: string): RelayState {
    const state = this.#options.stateFor(relay);
    return this.#leaving ? { ...state, leaving: true } : state;
  }

  #take(relay: string, connection: RelayConnection, signal: AbortSignal): Connected {
    const old = this.#connected.get(relay);
    const renewed = old !== undefined && isRenewed(old, connection.fingerprint);
    const place = renewed ? old.place : { peer: connection.peer };
    const since = renewed ? old.since : Date.now();
    const known: Connected = { ...connection, place, since, report: undefined };
    this.#connected.set(relay, known);
    if (renewed) old.handOver(signal);
    else if (old !== undefined) this.#displace(relay, old, connection);
    return known;
  }

  #displace(relay: string, old: Connected, by: RelayConnection): void {
    const places = `${addressOf(old)} was displaced by ${addressOf(by)}`;
    this.#displaced.add(relay, old.place);
    // Nobody knows yet whether the earlier one was cut, or the identity is used twice.
    const text = `relay ${relay}: another connection came before the end of its earlier one was seen: ${places}`;
    this.#options.onIncident('relay-displaced', relay, text);
    old.displaced(text);
  }

  #placesOf(relay: string): Set<Place> {
    const now = this.#connected.get(relay);
    return new Set([...(now ? [now.place] : []), ...this.#displaced.of(relay)]);
  }
}

/** Whether this is the certificate that was issued over the connection. */
function isRenewed(connection: RelayConnection, fingerprint: string): boolean {
  return connection.renewedTo() === fingerprint;
}

function addressOf({ peer, fingerprint, serial }: RelayAddress): string {
  return `${peer} (certificate ${fingerprint}, serial ${serial})`;
}
