import type { Plan } from '../../src/plan.ts';
import type { GhostLabels } from '../engine.ts';

export const gatewayLabel = 'clawrden.gateway';

const graceMs = 10 * 60 * 1000;

/** `clawrden.expires` is in epoch seconds: 10 min and the plan's timeout after `now`; 0 where the plan has none. */
export function ghostLabels(
  gatewayId: string,
  { agent, pool }: GhostLabels,
  { timeoutMs }: Pick<Plan, 'timeoutMs'>,
  now: number,
): Record<string, string> {
  const expires = timeoutMs === 0 ? 0 : Math.ceil((now + graceMs + timeoutMs) / 1000);
  return {
    [gatewayLabel]: gatewayId,
    'clawrden.agent': agent,
    'clawrden.pool': pool,
    'clawrden.expires': String(expires),
  };
}
