/** So much a second, and twice as much at once. */
export interface TokenBucket {
  /** False, with nothing taken, where there is too little. More than it ever holds is taken when it is full. */
  readonly take: (amount: number) => boolean;
  /** Taken whether it is there or not: what comes next waits the longer. */
  readonly owe: (amount: number) => void;
  /** Until there is something in it; 0 where there is. */
  readonly waitMs: () => number;
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
  };
}
