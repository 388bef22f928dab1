/** Things that only one user at a time may have. */
export interface Pool<T> {
  readonly all: readonly T[];
  /** Waits for a free one, and returns it when `work` has ended. */
  readonly use: <R>(work: (one: T) => Promise<R>) => Promise<R>;
}

export function makePool<T>(all: readonly T[]): Pool<T> {
  const free = [...all];
  const waiting: ((one: T) => void)[] = [];
  const take = (): Promise<T> => {
    const one = free.pop();
    return one === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(one);
  };
  const give = (one: T) => {
    const next = waiting.shift();
    if (next === undefined) free.push(one);
    else next(one);
  };
  return {
    all,
    use: async (work) => {
      const one = await take();
      try {
        return await work(one);
      } finally {
        give(one);
      }
    },
  };
}
