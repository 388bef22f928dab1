import { type Glob, matchesGlob } from './glob.ts';

/** How many steps one decision may spend on matching patterns: some milliseconds. */
const mostSteps = 100_000;

/**
 * The remaining work of one decision. If a match cannot be decided within it, the result is unknown: a strict rule
 * then holds, and no rule allows.
 */
export class Effort {
  #left: number;

  constructor(steps: number = mostSteps) {
    this.#left = steps;
  }

  /** False once there was not enough left, and from then on always. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/** Whether the word fits, at the cost of the match; false if there was not enough left for it. */
export function matchesWithin(effort: Effort, glob: Glob, word: string): boolean {
  return effort.spend(costOf(glob, word)) && matchesGlob(glob, word);
}

/** A search inside a word takes longer in a longer word. */
function costOf(glob: Glob, word: string): number {
  let cost = 0;
  for (const pieces of glob) cost += pieces.length > 2 ? 1 + (word.length >>> 4) : 1;
  return cost;
}
