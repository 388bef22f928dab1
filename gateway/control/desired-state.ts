import type { AgentConfig, HomeWorkspace } from '../../src/config/gateway-config.ts';
import { helpToolName } from '../../src/policy/help-tool.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { ownReach } from '../judging/own-reach.ts';
import type { Routes } from '../judging/seal-plan.ts';
import type { RelayState } from '../ports/relay-state.ts';
import type { AgentStates } from './agent-states.ts';

/** The state that a relay should have, from the configuration, the policy in force and the kill switch. */
export function desiredState(
  relay: string,
  agents: ReadonlyMap<string, AgentConfig>,
  policy: Policy,
  routes: Routes,
  states: Pick<AgentStates, 'locked' | 'stateOf'>,
): RelayState {
  const { tools, workspace: target } = policy;
  const own = [...agents.values()].filter((agent) => agent.relay === relay);
  return {
    lockdown: states.locked(),
    agents: own.map(({ name, users, workspace, network }) => ({
      name,
      tools: [...tools.keys(), helpToolName],
      paused: states.stateOf(name) === 'paused',
      killed: states.stateOf(name) === 'killed',
      users,
      ...homeOf(workspace, target),
      ...wayOutOf(ownReach({ name, network }, policy, routes)),
    })),
  };
}

/** `undefined` if no replica follows the workspace: then the relay has nothing to do with it. */
function homeOf(workspace: AgentConfig['workspace'], target: string): { readonly workspace?: HomeWorkspace } {
  if (workspace?.sync === undefined) return {};
  const { kind, source, sync } = workspace;
  return { workspace: { kind, source, target, ...sync.carried } };
}

/** One that cannot be is told of by the gateway itself. */
function wayOutOf(reach: ReturnType<typeof ownReach>): Pick<RelayState['agents'][number], 'wayOut'> {
  return typeof reach === 'object' ? { wayOut: { environment: reach.environment } } : {};
}
