export interface Dice {
  /** A whole number from 0, below `limit`. */
  readonly below: (limit: number) => number;
  readonly oneOf: <T>(list: readonly T[]) => T;
}

/** The same throws for the same seed (mulberry32): a failure can be run again. */
export function seeded(seed: number): Dice {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const oneOf = <T>(list: readonly T[]): T => {
    const one = list[below(list.length)];
    if (one === undefined) throw new Error('there is nothing to choose from');
    return one;
  };
  return { below, oneOf };
}
