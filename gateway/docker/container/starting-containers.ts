/**
 * Containers between the first byte of their create call and the moment their ghost is handed out. No other part
 * knows them yet, so a sweep must spare them, also those that are handed out while it lists.
 */
export interface StartingContainers {
  /** Tracks a name or an id until the returned function is called. */
  readonly add: (nameOrId: string) => () => void;
  /** What is starting now and, until `end`, everything that begins to start. */
  readonly watch: () => { readonly has: (nameOrId: string) => boolean; readonly end: () => void };
}

export function startingContainers(): StartingContainers {
  const current = new Set<string>();
  const watchers = new Set<Set<string>>();
  return {
    add(nameOrId) {
      current.add(nameOrId);
      for (const seen of watchers) seen.add(nameOrId);
      return () => current.delete(nameOrId);
    },
    watch() {
      const seen = new Set(current);
      watchers.add(seen);
      return { has: (nameOrId) => seen.has(nameOrId), end: () => watchers.delete(seen) };
    },
  };
}
