import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { clientEnvironment } from '../../src/egress/client-environment.ts';
import type { Reach } from '../../src/egress/reach.ts';
import { plannedRoute } from '../../src/egress/route.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { Routes } from './seal-plan.ts';

/** What an agent itself may reach, besides what its tools may. */
export interface OwnReach {
  readonly reach: Reach;
  /** NAME=value, for the usual clients. */
  readonly environment: readonly string[];
}

/** By the configuration, the policy and the routes in force. `undefined`: nothing; a line: why not. */
export function ownReach(
  { name: agent, network }: Pick<AgentConfig, 'name' | 'network'>,
  { networks }: Pick<Policy, 'networks'>,
  routes: Routes,
): OwnReach | string | undefined {
  if (network === undefined) return undefined;
  const named = networks?.get(network);
  if (named === undefined)
    return `agent ${agent} has the network ${network}, which the policy does not have with allow or routes`;
  const missing = named.routes.find((name) => !routes.has(name));
  if (missing !== undefined)
    return `agent ${agent} has the network ${network} with the route ${missing}, which gateway.yaml does not have`;
  const own = named.routes.flatMap((name) => routes.get(name) ?? []);
  const reach = { network, allow: named.allow, routes: own.map(plannedRoute) };
  return { reach, environment: clientEnvironment(reach, own, []) };
}
