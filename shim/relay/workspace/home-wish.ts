import type { Identity } from '../../../src/command.ts';
import type { HomeWorkspace } from '../../../src/config/gateway-config.ts';

/** A workspace of which this relay keeps the home, and the agent's user. */
export interface HomeWish extends Pick<HomeWorkspace, 'kind' | 'source' | 'excludes' | 'limits'> {
  readonly user: Identity;
}

/** Of what a gateway told of a workspace, what the carrier at home depends on. */
export function homeWish({ kind, source, excludes, limits }: HomeWorkspace, user: Identity): HomeWish {
  return { kind, source, excludes, limits, user };
}
