import type { AgentConfig } from '../src/config/gateway-config.ts';
import type { RelayRegistry, RelayReport, RelayState } from './warden-view.ts';

/** What is known of an agent from its relay; `undefined` where the relay is not connected or has not reported it. */
export type AgentReport = RelayReport['agents'][number];

export interface Relays extends RelayRegistry {
  readonly report: (agent: AgentConfig) => AgentReport | undefined;
}

interface Connected {
  readonly push: (state: RelayState) => void;
  report: RelayReport | undefined;
}

/** The relays that are connected now, by name; the newest stream of one counts. */
export function createRelays(stateFor: (relay: string) => RelayState): Relays {
  const connected = new Map<string, Connected>();
  return {
    connect: (relay, push, signal) => {
      const connection: Connected = { push, report: undefined };
      connected.set(relay, connection);
      const forget = () => {
        if (connected.get(relay) === connection) connected.delete(relay);
      };
      signal.addEventListener('abort', forget, { once: true });
      if (signal.aborted) forget();
      push(stateFor(relay));
      return (report) => {
        connection.report = report;
      };
    },
    report: ({ relay, name }) => connected.get(relay)?.report?.agents.find((agent) => agent.name === name),
  };
}
