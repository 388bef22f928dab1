/** Remembers up to `limit` values; when it is full it forgets all of them. */
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
