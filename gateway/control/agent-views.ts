import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { AgentView } from '../ports/warden-api.ts';
import type { AgentStates } from './agent-states.ts';
import type { Relays } from './relays.ts';

type Rows = readonly { readonly agent: string }[];

export interface AgentViewParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly ledger: { readonly running: () => Rows };
  readonly approvals: { readonly pending: () => Rows };
  readonly grants: { readonly list: () => Rows };
  readonly relays: Pick<Relays, 'report' | 'refusing'>;
  readonly states: Pick<AgentStates, 'stopOf'>;
}

/** Each list is made once for all agents: it is looked at twice a second, and one agent's rows cost time, too. */
export function agentViews({
  agents,
  ledger,
  approvals,
  grants,
  relays,
  states,
}: AgentViewParts): AgentView[] {
  const running = countOf(ledger.running());
  const pending = countOf(approvals.pending());
  const granted = countOf(grants.list());
  const refusing = relays.refusing();
  return [...agents().values()].map((agent) => {
    const report = relays.report(agent);
    const stopped = states.stopOf(agent.name);
    return {
      name: agent.name,
      relay: agent.relay,
      online: report !== undefined && report.problem === '',
      containerRunning: report?.containerRunning ?? false,
      tools: report?.tools ?? [],
      running: running(agent.name),
      pending: pending(agent.name),
      grants: granted(agent.name),
      ...(stopped === undefined ? {} : { stopped }),
      problem: report?.problem ?? whyAway(refusing.has(agent.relay)),
    };
  });
}

function countOf(rows: Rows): (agent: string) => number {
  const byAgent = Map.groupBy(rows, ({ agent }) => agent);
  return (agent) => byAgent.get(agent)?.length ?? 0;
}

function whyAway(isRefusing: boolean): string {
  return isRefusing
    ? 'its relay needs a newer gateway: upgrade the gateway first'
    : 'its relay is not connected';
}
