/** Remembers up to `limit` values, and then starts afresh. */
export interface BoundedCache<T> {
  readonly get: (key: string) => T | undefined;
  /** Returns `value`. */
  readonly add: (key: string, value: T) => T;
}

export function boundedCache<T>(limit: number): BoundedCache<T> {
  const values = new Map<string, T>();
  return {
    get: (key) => values.get(key),
    add: (key, value) => {
      if (values.size >= limit) values.clear();
      values.set(key, value);
      return value;
    },
  };
}
