import type { ChangeType, GatewayEvent } from '../ports/events.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { whyNot } from './call-rules.ts';
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

/** Events of what the principal may look at, over its agents; and of the executions that it asked for. */
export function createHears(principal: Principal, sees: Sees): (event: GatewayEvent) => boolean {
  const own = principalName(principal);
  const types = Object.entries(shownBy).filter(([, call]) => whyNot(principal, call) === undefined);
  const may: ReadonlySet<string> = new Set(types.map(([type]) => type));
  return ({ change: { type }, agent, caller }) => {
    if (!sees.agent(agent)) return false;
    return may.has(type) || (type === 'execution' && caller === own);
  };
}
