import { type KeptEach, keepEach } from '../control/keep-each.ts';
import type { HomeWish } from './home-wish.ts';
import { type KeepParts, keepHome } from './keep-home.ts';
import { notKept } from './not-kept.ts';

/** The homes of workspaces that this relay keeps: for each agent one carrier, with a lane to the gateway. */
export type Homes = KeptEach<HomeWish>;

export function createHomes(parts: KeepParts): Homes {
  const homes = keepEach<HomeWish>(
    (agent, wish, tell, signal) => keepHome(agent, wish, parts, tell, signal),
    'this workspace is not kept any more',
  );
  return {
    ...homes,
    problems: () => new Map([...homes.problems()].map(([agent, problem]) => [agent, notKept(problem)])),
  };
}
