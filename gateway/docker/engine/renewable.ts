/** A value that is made by asynchronous work, once, and shared by all callers at the same time. */
export interface Renewable<T> {
  /** A failure is not kept: the next call tries again. */
  readonly get: () => Promise<T>;
  /** A new value instead of `stale`; if another caller has already asked for a new one, that one. */
  readonly renew: (stale: T) => Promise<T>;
  /** The next `get` makes a new one. */
  readonly forget: () => void;
}

export function renewable<T>(make: (again: boolean) => Promise<T>): Renewable<T> {
  let current: Promise<T> | undefined;
  const begin = (again: boolean): Promise<T> => {
    const made = make(again);
    current = made;
    made.catch(() => {
      if (current === made) current = undefined;
    });
    return made;
  };
  return {
    get: () => current ?? begin(false),
    async renew(stale) {
      const seen = current;
      const value = await seen;
      if (seen !== undefined && value !== stale) return value as T;
      return current === seen ? begin(true) : (current ?? begin(true));
    },
    forget: () => {
      current = undefined;
    },
  };
}
