import { SlidingWindow } from '../../src/sliding-window.ts';
import { addressKey } from '../connections/address-key.ts';

/** How often each source may try what turned out to be wrong. */
export interface WrongTries {
  /** How long the source has to wait; 0 if it may try now. */
  readonly waitMs: (from: string) => number;
  readonly note: (from: string) => void;
}

export const triesAtMost = 10;
const perMs = 60_000;
const sourcesAtMost = 4096;

export function createWrongTries(now: () => number = () => performance.now()): WrongTries {
  const sources = new Map<string, SlidingWindow<{ readonly at: number }>>();
  return {
    waitMs: (from) => {
      const tries = sources.get(addressKey(from))?.within(perMs, now()) ?? [];
      const [oldest] = tries;
      return oldest === undefined || tries.length < triesAtMost ? 0 : oldest.at + perMs - now();
    },
    note: (from) => {
      const key = addressKey(from);
      const tries = sources.get(key) ?? new SlidingWindow();
      // Last again: the source that has been quiet for longest is forgotten first.
      sources.delete(key);
      if (sources.size >= sourcesAtMost) sources.delete(sources.keys().next().value ?? '');
      tries.add({ at: now() }, triesAtMost);
      sources.set(key, tries);
    },
  };
}
