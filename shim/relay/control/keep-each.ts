import { isDeepStrictEqual } from 'node:util';

/** What this relay keeps for agents, for each one thing at a time: what is wished for is kept, and begun again if it ends. */
export interface KeptEach<Wish> {
  /** Keeps these, by agent, and no others; one whose wish changes ends before it begins again. */
  readonly hold: (wanted: ReadonlyMap<string, Wish>) => void;
  /** Those that cannot be kept now, with the reason. */
  readonly problems: () => ReadonlyMap<string, string>;
  /** Ends all, and begins none from then on. Resolves when all have ended: after some seconds, unless one is at work. */
  readonly close: () => Promise<void>;
}

/** Empty while it is kept, or why it is not. */
export type TellProblem = (problem: string) => void;

/** Keeps one until `signal` aborts. Never rejects. */
export type KeepOne<Wish> = (
  agent: string,
  wish: Wish,
  tell: TellProblem,
  signal: AbortSignal,
) => Promise<void>;

interface Kept<Wish> {
  readonly wish: Wish;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  problem: string;
}

/** `over`: the reason for an end. */
export function keepEach<Wish>(keepOne: KeepOne<Wish>, over: string): KeptEach<Wish> {
  const kept = new Map<string, Kept<Wish>>();
  /** What ended or ends, by agent: two at a time would be in each other's way. */
  const endings = new Map<string, Promise<void>>();
  let closed = false;

  function begin(agent: string, wish: Wish): void {
    const stop = new AbortController();
    const before = endings.get(agent);
    const tell = (problem: string) => {
      one.problem = problem;
    };
    const keep = async () => {
      await before;
      await keepOne(agent, wish, tell, stop.signal);
    };
    const one: Kept<Wish> = { wish, stop, ended: keep(), problem: '' };
    kept.set(agent, one);
  }

  function end(agent: string, { stop, ended }: Kept<Wish>): void {
    kept.delete(agent);
    stop.abort(new Error(over));
    endings.set(agent, ended);
    void ended.then(() => {
      if (endings.get(agent) === ended) endings.delete(agent);
    });
  }

  return {
    hold: (wanted) => {
      if (closed) return;
      for (const [agent, one] of kept) if (!isDeepStrictEqual(wanted.get(agent), one.wish)) end(agent, one);
      for (const [agent, wish] of wanted) if (!kept.has(agent)) begin(agent, wish);
    },
    problems: () =>
      new Map([...kept].flatMap(([agent, { problem }]) => (problem === '' ? [] : [[agent, problem]]))),
    close: async () => {
      closed = true;
      for (const [agent, one] of kept) end(agent, one);
      await Promise.all(endings.values());
    },
  };
}
