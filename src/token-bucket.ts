/** A rate: so much a second, and twice as much at once. */
export interface TokenBucket {
  /**
   * False if there is too little; nothing is taken then. If `amount` is more than the bucket ever holds, it can be
   * taken when the bucket is full.
   */
  readonly take: (amount: number) => boolean;
  /** Takes even more than there is; the next caller then waits longer. */
  readonly owe: (amount: number) => void;
  /** Time until there is something in it; 0 if there is something now. */
  readonly waitMs: () => number;
  readonly isFull: () => boolean;
}

export function tokenBucket(perSecond: number, now: () => number = () => performance.now()): TokenBucket {
  const most = 2 * perSecond;
  let level = most;
  let at = now();

  function refill(): void {
    const since = at;
    at = now();
    level = Math.min(most, level + ((at - since) / 1000) * perSecond);
  }

  return {
    take: (amount) => {
      refill();
      if (level < Math.min(amount, most)) return false;
      level -= amount;
      return true;
    },
    owe: (amount) => {
      refill();
      level -= amount;
    },
    waitMs: () => {
      refill();
      return level > 0 ? 0 : Math.ceil((-level / perSecond) * 1000) + 1;
    },
    isFull: () => {
      refill();
      return level >= most;
    },
  };
}
