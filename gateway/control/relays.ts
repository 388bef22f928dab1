import { onAbort } from '../../src/abort.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type {
  RelayAddress,
  RelayConnection,
  RelayRegistry,
  RelayReport,
  RelayState,
} from '../ports/relay-state.ts';
import { boundedReport } from './bounded-report.ts';
import { createDisplacedPlaces, type Place } from './displaced-places.ts';

/** What is known of an agent from its relay; `undefined` where the relay is not connected or has not reported it. */
export type AgentReport = RelayReport['agents'][number];

export interface Relays extends RelayRegistry {
  readonly report: (agent: AgentConfig) => AgentReport | undefined;
  /** Tells every connected relay what it should be now. */
  readonly tellAll: () => void;
  /**
   * Resolves when the agent is reported halted by every place that its relay's identity is connected from, also by one that was
   * displaced a moment ago; never, where one of them does not, or no relay is there.
   */
  readonly halted: (agent: AgentConfig) => Promise<void>;
}

interface Connected extends RelayConnection {
  readonly place: Place;
  report: RelayReport | undefined;
}

/** Far longer than the kill switch waits for a halt. */
const listenMs = 10_000;

/**
 * An identity is used from a second place, or its first connection was lost and has not been noticed to be; or it is
 * used over a connection that does not synchronize; or it says what no relay has a reason to say.
 */
export type RelayIncident = 'relay-displaced' | 'relay-unsynchronized' | 'relay-impossible';

export interface RelaysOptions {
  readonly stateFor: (relay: string) => RelayState;
  readonly onIncident: (incident: RelayIncident, relay: string, text: string) => void;
}

/**
 * The relays that are connected now, by name. The newest stream of one counts, and ends the one before it, with all of
 * its connection unless it is the same relay that has renewed its certificate.
 */
export function createRelays(options: RelaysOptions): Relays {
  return new ConnectedRelays(options);
}

class ConnectedRelays implements Relays {
  readonly #options: RelaysOptions;
  readonly #connected = new Map<string, Connected>();
  readonly #displaced = createDisplacedPlaces();
  readonly #listeners = new Set<(relay: string, from: Connected) => void>();

  constructor(options: RelaysOptions) {
    this.#options = options;
  }

  connect: Relays['connect'] = (relay, connection, signal) => {
    const known = this.#take(relay, connection, signal);
    const forget = () => {
      if (this.#connected.get(relay) === known) this.#connected.delete(relay);
    };
    onAbort(signal, forget);
    connection.push(this.#options.stateFor(relay));
    return (report) => {
      // A displaced relay has no say any more.
      if (this.#connected.get(relay) !== known) return;
      known.report = boundedReport(report, this.#options.stateFor(relay));
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

  tellAll = (): void => {
    for (const [relay, { push }] of this.#connected) push(this.#options.stateFor(relay));
  };

  halted: Relays['halted'] = (agent) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#placesOf(agent.relay);
    // The report that is known may be from before the halt: only one that comes now counts.
    const notify = (relay: string, { place }: Connected) => {
      if (relay !== agent.relay) return;
      if (this.report(agent)?.halted === true) waiting.delete(place);
      else waiting.add(place);
      if (waiting.size === 0) resolve();
    };
    if (waiting.size > 0) this.#listeners.add(notify);
    setTimeout(() => this.#listeners.delete(notify), listenMs).unref();
    return promise;
  };

  #take(relay: string, connection: RelayConnection, signal: AbortSignal): Connected {
    const old = this.#connected.get(relay);
    const renewed = old !== undefined && isRenewed(old, connection.fingerprint);
    const place = renewed ? old.place : { peer: connection.peer };
    const known: Connected = { ...connection, place, report: undefined };
    this.#connected.set(relay, known);
    if (renewed) old.handOver(signal);
    else if (old !== undefined) this.#displace(relay, old, connection);
    return known;
  }

  #displace(relay: string, old: Connected, by: RelayConnection): void {
    const places = `${addressOf(old)} was displaced by ${addressOf(by)}`;
    this.#displaced.add(relay, old.place);
    this.#options.onIncident('relay-displaced', relay, `relay ${relay} is connected twice: ${places}`);
    old.displaced(`relay ${relay} is connected from another place: ${places}`);
  }

  #placesOf(relay: string): Set<Place> {
    const now = this.#connected.get(relay);
    return new Set([...(now ? [now.place] : []), ...this.#displaced.of(relay)]);
  }
}

/** Whether the certificate is the one that was given over the connection. */
function isRenewed(connection: RelayConnection, fingerprint: string): boolean {
  return connection.renewedTo() === fingerprint;
}

function addressOf({ peer, fingerprint, serial }: RelayAddress): string {
  return `${peer} (certificate ${fingerprint}, serial ${serial})`;
}
