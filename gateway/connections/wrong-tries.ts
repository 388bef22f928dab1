import { SlidingWindow } from '../../src/sliding-window.ts';
import { addressKey } from './address-key.ts';
import { TooSoon } from './call-budget.ts';

/** How often each source may try what turned out to be wrong. */
export interface WrongTries {
  /** How long the source has to wait; 0 if it may try now. */
  readonly waitMs: (from: string) => number;
  readonly note: (from: string) => void;
  /** The same for a try that takes time: it counts until it has ended, too. */
  readonly begin: (from: string) => OpenTry | { readonly waitMs: number };
}

export interface OpenTry {
  readonly end: (wasWrong: boolean) => void;
}

export const triesAtMost = 10;
const perMs = 60_000;
const sourcesAtMost = 4096;
const comeBackMs = 1000;

export function createWrongTries(now: () => number = () => performance.now()): WrongTries {
  const sources = new Map<string, SlidingWindow<{ readonly at: number }>>();
  const open = new Map<string, number>();
  const triesOf = (key: string) => sources.get(key)?.within(perMs, now()) ?? [];
  const waitMs = (from: string) => {
    const tries = triesOf(addressKey(from));
    const [oldest] = tries;
    return oldest === undefined || tries.length < triesAtMost ? 0 : oldest.at + perMs - now();
  };
  const note = (from: string) => {
    const key = addressKey(from);
    const tries = sources.get(key) ?? new SlidingWindow();
    // Last again: the source that has been quiet for longest is forgotten first.
    sources.delete(key);
    if (sources.size >= sourcesAtMost) sources.delete(sources.keys().next().value ?? '');
    tries.add({ at: now() }, triesAtMost);
    sources.set(key, tries);
  };
  const count = (key: string, more: 1 | -1) => {
    const left = (open.get(key) ?? 0) + more;
    if (left === 0) open.delete(key);
    else open.set(key, left);
  };
  return {
    ...{ waitMs, note },
    begin: (from) => {
      const key = addressKey(from);
      const wait = waitMs(from);
      if (wait > 0) return { waitMs: wait };
      if (triesOf(key).length + (open.get(key) ?? 0) >= triesAtMost) return { waitMs: comeBackMs };
      count(key, 1);
      return {
        end: (wasWrong) => {
          count(key, -1);
          if (wasWrong) note(from);
        },
      };
    },
  };
}

interface Attempt<Result> {
  readonly from: string;
  /** What is wrong if it comes too often, for the refusal. */
  readonly what: string;
  readonly attempt: () => Promise<Result>;
  /** One that throws was wrong. */
  readonly isWrong: (result: Result) => boolean;
}

/** Throws `TooSoon` if its source has tried too often; tries made all at once count, too. */
export async function tryFrom<Result>(
  tries: Pick<WrongTries, 'begin'>,
  { from, what, attempt, isWrong }: Attempt<Result>,
): Promise<Result> {
  const begun = tries.begin(from);
  if ('waitMs' in begun)
    throw new TooSoon(`too many wrong ${what} came from this address (rate-limit)`, begun.waitMs);
  let wasWrong = true;
  try {
    const result = await attempt();
    wasWrong = isWrong(result);
    return result;
  } finally {
    begun.end(wasWrong);
  }
}
