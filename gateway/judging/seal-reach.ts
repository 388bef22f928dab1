import type { Learns, NetworkReach } from '../../src/egress/reach.ts';
import { plannedRoute, type Route } from '../../src/egress/route.ts';
import type { Plan } from '../../src/plan.ts';
import type { DecidedTool } from '../../src/policy/policy.ts';

/**
 * What of a network stands in the plan: its destinations and routes themselves, as they are now; and that somebody
 * learns what the tool needs.
 */
export function sealReach(
  { network, allow }: NetworkReach,
  routes: readonly Route[],
  learns: Learns | undefined,
  { egressUpBytes: up, egressDownBytes: down }: Pick<DecidedTool, 'egressUpBytes' | 'egressDownBytes'>,
): Pick<Plan, 'reach'> {
  if (network === '' && learns === undefined) return {};
  const most = { ...(up > 0 && { up }), ...(down > 0 && { down }) };
  const isBounded = up > 0 || down > 0;
  return {
    reach: {
      // The name that no network has.
      ...{ network: network || 'none', allow, routes: routes.map(plannedRoute) },
      ...(isBounded && { most }),
      ...(learns !== undefined && { learns }),
    },
  };
}
