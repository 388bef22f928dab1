import type { Route } from '../../src/egress/route.ts';
import type { DecidedTool } from '../../src/policy/policy.ts';

type Learner = Pick<DecidedTool, 'strategy' | 'network' | 'reach' | 'secrets' | 'isolation'>;

/**
 * Why nobody learns what the tool needs; empty if somebody may. While it learns it reaches every public address, so it
 * has nothing at the same time that must not come there.
 */
export function whyNoLearning(
  { strategy, network, reach, secrets, isolation }: Learner,
  routes: readonly Route[],
): string {
  if (strategy !== 'ghost') return `it runs by ${strategy}, whose connections the gateway does not see`;
  if (isolation === 'session') return 'it runs in a session, which has no network';
  if (network !== 'none')
    return `it is in the Docker network ${network}, whose connections the gateway does not see`;
  if (secrets.size > 0) return 'it is given secrets, and could send them anywhere';
  const inside = [...reach.allow, ...routes].some((place) => place.private === true);
  return inside ? `its network ${reach.network} leads to addresses that are not public` : '';
}
