import type { AgentConfig } from '../src/config/gateway-config.ts';
import type { RelayRegistry, RelayReport, RelayState } from './warden-view.ts';

/** What is known of an agent from its relay; `undefined` where the relay is not connected or has not reported it. */
export type AgentReport = RelayReport['agents'][number];

export interface Relays extends RelayRegistry {
  readonly report: (agent: AgentConfig) => AgentReport | undefined;
  /** Tells every connected relay what it should be now. */
  readonly tellAll: () => void;
  /** Resolves when the agent's relay has reported it halted; never, where no relay does. */
  readonly halted: (agent: AgentConfig) => Promise<void>;
}

interface Connected {
  readonly push: (state: RelayState) => void;
  report: RelayReport | undefined;
  readonly onReport: Set<() => void>;
}

/** The relays that are connected now, by name; the newest stream of one counts. */
export function createRelays(stateFor: (relay: string) => RelayState): Relays {
  const connected = new Map<string, Connected>();
  const reportOf = ({ relay, name }: AgentConfig) =>
    connected.get(relay)?.report?.agents.find((agent) => agent.name === name);
  return {
    connect: (relay, push, signal) => {
      const connection: Connected = { push, report: undefined, onReport: new Set() };
      connected.set(relay, connection);
      const forget = () => {
        if (connected.get(relay) === connection) connected.delete(relay);
      };
      signal.addEventListener('abort', forget, { once: true });
      if (signal.aborted) forget();
      push(stateFor(relay));
      return (report) => {
        connection.report = report;
        for (const notify of connection.onReport) notify();
      };
    },
    report: reportOf,
    tellAll: () => {
      for (const [relay, { push }] of connected) push(stateFor(relay));
    },
    halted: (agent) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const connection = connected.get(agent.relay);
      // The report that is known may be from before the halt: only one that comes now counts.
      const notify = () => {
        if (reportOf(agent)?.halted !== true) return;
        connection?.onReport.delete(notify);
        resolve();
      };
      connection?.onReport.add(notify);
      return promise;
    },
  };
}
