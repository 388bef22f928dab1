import { isDeepStrictEqual } from 'node:util';
import type { HomeWish } from './home-wish.ts';
import { type KeepParts, keepHome } from './keep-home.ts';
import { notKept } from './not-kept.ts';

/** The homes of workspaces that this relay keeps: for each agent one carrier, with a lane to the gateway. */
export interface Homes {
  /** Keeps these, by agent, and no others; a home that changes ends before it begins again. */
  readonly hold: (wanted: ReadonlyMap<string, HomeWish>) => void;
  /** Those that cannot be kept now, with the reason. */
  readonly problems: () => ReadonlyMap<string, string>;
  /** Ends all, and begins none from then on. Resolves when all have ended, after some seconds at most. */
  readonly close: () => Promise<void>;
}

interface Home {
  readonly wish: HomeWish;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  problem: string;
}

export function createHomes(parts: KeepParts): Homes {
  const homes = new Map<string, Home>();
  /** What ended or ends, by agent: two carriers on one tree would spoil it. */
  const endings = new Map<string, Promise<void>>();
  let closed = false;

  function begin(agent: string, wish: HomeWish): void {
    const stop = new AbortController();
    const before = endings.get(agent);
    const tell = (problem: string) => {
      home.problem = problem;
    };
    const keep = async () => {
      await before;
      await keepHome(agent, wish, parts, tell, stop.signal);
    };
    const home: Home = { wish, stop, ended: keep(), problem: '' };
    homes.set(agent, home);
  }

  function end(agent: string, { stop, ended }: Home): void {
    homes.delete(agent);
    stop.abort(new Error('this workspace is not kept any more'));
    endings.set(agent, ended);
    void ended.then(() => {
      if (endings.get(agent) === ended) endings.delete(agent);
    });
  }

  return {
    hold: (wanted) => {
      if (closed) return;
      for (const [agent, home] of homes)
        if (!isDeepStrictEqual(wanted.get(agent), home.wish)) end(agent, home);
      for (const [agent, wish] of wanted) if (!homes.has(agent)) begin(agent, wish);
    },
    problems: () =>
      new Map(
        [...homes].flatMap(([agent, { problem }]) => (problem === '' ? [] : [[agent, notKept(problem)]])),
      ),
    close: async () => {
      closed = true;
      for (const [agent, home] of homes) end(agent, home);
      await Promise.all(endings.values());
    },
  };
}
