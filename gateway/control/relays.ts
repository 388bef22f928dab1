import { onAbort } from '../../src/abort.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { RelayConnection, RelayRegistry, RelayReport, RelayState } from '../ports/relay-state.ts';
import { boundedReport } from './bounded-report.ts';
import { createDisplacedPlaces } from './displaced-places.ts';

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
  report: RelayReport | undefined;
}

/** Far longer than whoever orders a halt waits for it. */
const listenMs = 10_000;

export interface RelaysOptions {
  readonly stateFor: (relay: string) => RelayState;
  /** An identity is used from a second place, or its first connection was lost and has not been noticed to be. */
  readonly onDisplaced: (relay: string, text: string) => void;
}

/** The relays that are connected now, by name. The newest stream of one counts, and ends the one before it. */
export function createRelays({ stateFor, onDisplaced }: RelaysOptions): Relays {
  const connected = new Map<string, Connected>();
  const displaced = createDisplacedPlaces();
  const listeners = new Set<(relay: string, from: RelayConnection) => void>();

  const reportOf = ({ relay, name }: AgentConfig) =>
    connected.get(relay)?.report?.agents.find((agent) => agent.name === name);

  function displace(relay: string, old: Connected, by: RelayConnection): void {
    const places = `${placeOf(old)} was displaced by ${placeOf(by)}`;
    displaced.add(relay, old.peer);
    onDisplaced(relay, `relay ${relay} is connected twice: ${places}`);
    old.displaced(`relay ${relay} is connected from another place: ${places}`);
  }

  function placesOf(relay: string): Set<string> {
    const now = connected.get(relay);
    return new Set([...(now ? [now.peer] : []), ...displaced.of(relay)]);
  }

  return {
    connect: (relay, connection, signal) => {
      const known: Connected = { ...connection, report: undefined };
      const old = connected.get(relay);
      connected.set(relay, known);
      if (old !== undefined) displace(relay, old, connection);
      displaced.isBack(relay, connection.peer);
      const forget = () => {
        if (connected.get(relay) === known) connected.delete(relay);
      };
      onAbort(signal, forget);
      connection.push(stateFor(relay));
      return (report) => {
        // Whoever was displaced has no say any more.
        if (connected.get(relay) !== known) return;
        known.report = boundedReport(report, stateFor(relay));
        for (const notify of listeners) notify(relay, connection);
      };
    },
    report: reportOf,
    tellAll: () => {
      for (const [relay, { push }] of connected) push(stateFor(relay));
    },
    halted: (agent) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiting = placesOf(agent.relay);
      // The report that is known may be from before the halt: only one that comes now counts.
      const notify = (relay: string, { peer }: RelayConnection) => {
        if (relay !== agent.relay) return;
        if (reportOf(agent)?.halted === true) waiting.delete(peer);
        else waiting.add(peer);
        if (waiting.size === 0) resolve();
      };
      if (waiting.size > 0) listeners.add(notify);
      setTimeout(() => listeners.delete(notify), listenMs).unref();
      return promise;
    },
  };
}

function placeOf({ peer, fingerprint }: RelayConnection): string {
  return `${peer} (certificate ${fingerprint})`;
}
