/** A rate: so much a second, and so much at once. */
export interface TokenBucket {
  /**
   * False if there is too little; nothing is taken then. If `amount` is more than the bucket ever holds, it can be
   * taken when the bucket is full.
   */
  readonly take: (amount: number) => boolean;
  /** Takes even more than there is; the next caller then waits longer. */
  readonly owe: (amount: number) => void;
  /** Time until there is something in it, or until `amount` can be taken; 0 if that is so now. */
  readonly waitMs: (amount?: number) => number;
  readonly isFull: () => boolean;
}

/** `most` at once: if absent, what two seconds bring. */
export function tokenBucket(
  perSecond: number,
  now: () => number = () => performance.now(),
  most = 2 * perSecond,
): TokenBucket {
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
    waitMs: (amount = 0) => {
      refill();
      const missing = Math.min(amount, most) - level;
      return level > 0 && missing <= 0 ? 0 : Math.ceil((missing / perSecond) * 1000) + 1;
    },
    isFull: () => {
      refill();
      return level >= most;
    },
  };
}
