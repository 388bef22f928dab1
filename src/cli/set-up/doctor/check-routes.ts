import type { Policy } from '../../../policy/policy.ts';
import { bad, type Finding } from './finding.ts';

/** Routes that networks of the policy have and gateway.yaml does not: their tools end with `route-missing`. */
export function checkRoutes(
  { routes }: { readonly routes: readonly { readonly name: string }[] },
  policy: Pick<Policy, 'tools'> | undefined,
): Finding[] {
  const known = new Set(routes.map(({ name }) => name));
  const wanted = [...(policy?.tools.values() ?? [])].flatMap(({ name, reach }) =>
    reach.routes.filter((route) => !known.has(route)).map((route) => [route, `tools.${name}`] as const),
  );
  return wanted.map(([route, tool]) =>
    bad('routes', `${tool} has the route ${route}, which is not there`, `add ${route} under routes`),
  );
}
