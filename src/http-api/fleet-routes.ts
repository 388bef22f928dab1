import { agentSessions, sessionsOf, sessionsReset } from './agent-sessions.ts';
import { pageQuery } from './fields.ts';
import { host, hostStateRequest, hosts, named, relays } from './fleet.ts';
import { paths } from './paths.ts';
import { reasonQuery } from './principals.ts';

/** Where commands run: hosts, relays, and containers that agents keep. */
export const fleetRoutes = {
  hosts: {
    ...paths.hosts,
    does: 'Docker hosts, by name',
    query: pageQuery,
    answer: hosts,
  },
  setHostState: {
    ...paths.setHostState,
    does: 'drains a Docker host, or gives it work again',
    params: named,
    body: hostStateRequest,
    answer: host,
  },
  relays: {
    ...paths.relays,
    does: 'relays, by name: those of gateway.yaml, and any other that is connected',
    query: pageQuery,
    answer: relays,
  },
  agentSessions: {
    ...paths.agentSessions,
    does: 'containers that agents keep between commands, by agent',
    query: pageQuery,
    answer: agentSessions,
  },
  resetSessions: {
    ...paths.resetSessions,
    does: "ends an agent's sessions with all that runs in them; its next command gets a fresh one",
    params: sessionsOf,
    query: reasonQuery,
    answer: sessionsReset,
  },
} as const;
