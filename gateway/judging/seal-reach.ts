import type { NetworkReach } from '../../src/egress/reach.ts';
import { plannedRoute, type Route } from '../../src/egress/route.ts';
import type { Plan } from '../../src/plan.ts';
import type { DecidedTool } from '../../src/policy/policy.ts';

/** What of a network stands in the plan: its destinations and routes themselves, as they are now. */
export function sealReach(
  { network, allow }: NetworkReach,
  routes: readonly Route[],
  { egressUpBytes: up, egressDownBytes: down }: Pick<DecidedTool, 'egressUpBytes' | 'egressDownBytes'>,
): Pick<Plan, 'reach'> {
  if (network === '') return {};
  const most = { ...(up > 0 && { up }), ...(down > 0 && { down }) };
  const isBounded = up > 0 || down > 0;
  return { reach: { network, allow, routes: routes.map(plannedRoute), ...(isBounded && { most }) } };
}
