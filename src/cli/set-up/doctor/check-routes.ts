import type { AgentConfig } from '../../../config/gateway-config.ts';
import type { NetworkReach } from '../../../egress/reach.ts';
import type { Policy } from '../../../policy/policy.ts';
import { bad, type Finding } from './finding.ts';

interface Files {
  readonly routes: readonly { readonly name: string }[];
  readonly agents: readonly Pick<AgentConfig, 'name' | 'network'>[];
}

/**
 * Routes that networks of the policy have and gateway.yaml does not: their tools end with `route-missing`, and their
 * agents have no way out. So it is with agents whose network the policy does not have.
 */
export function checkRoutes(
  { routes, agents }: Files,
  policy: Pick<Policy, 'tools' | 'networks'> | undefined,
): Finding[] {
  if (policy === undefined) return [];
  const known = new Set(routes.map(({ name }) => name));
  const missing = (who: string, reach: NetworkReach | undefined): Finding[] =>
    (reach?.routes ?? [])
      .filter((route) => !known.has(route))
      .map((route) =>
        bad('routes', `${who} has the route ${route}, which is not there`, `add ${route} under routes`),
      );
  return [
    ...[...policy.tools.values()].flatMap(({ name, reach }) => missing(`tools.${name}`, reach)),
    ...agents.flatMap(({ name, network }) => {
      if (network === undefined) return [];
      const reach = policy.networks?.get(network);
      return reach === undefined
        ? [bad('networks', `agent ${name} has the network ${network}, which the policy has not`, toDo)]
        : missing(`agent ${name}`, reach);
    }),
  ];
}

const toDo = 'add it under networks of the policy, with allow or routes';
