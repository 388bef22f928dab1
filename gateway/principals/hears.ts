import type { ChangeType, GatewayEvent } from '../ports/events.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { permit } from './call-rules.ts';
import type { Sees } from './sees.ts';

/** The call that shows the same. */
const shownBy: Record<ChangeType, string> = {
  execution: 'GET /api/v1/executions',
  approval: 'GET /api/v1/approvals',
  'approval-gone': 'GET /api/v1/approvals',
  agent: 'GET /api/v1/agents',
  'agent-gone': 'GET /api/v1/agents',
  host: 'GET /api/v1/hosts',
  'host-gone': 'GET /api/v1/hosts',
  status: 'GET /api/v1/status',
  policy: 'GET /api/v1/policy',
};

/**
 * Events of what the principal may look at, over the agents to which the right to look extends; and of the executions
 * that it asked for, among the agents that `sees` holds.
 */
export function createHears(
  principal: Principal,
  sees: Sees,
  within: (caller: Principal) => Sees,
): (event: GatewayEvent) => boolean {
  const own = principalName(principal);
  const shown = new Map<string, Sees>();
  for (const [type, call] of Object.entries(shownBy)) {
    const permitted = permit(principal, call);
    if ('value' in permitted) shown.set(type, within(permitted.value));
  }
  return ({ change: { type }, agent, caller }) => {
    if (shown.get(type)?.agent(agent)) return true;
    return type === 'execution' && caller === own && sees.agent(agent);
  };
}
