/**
 * Containers between the first byte of their create call and the moment their ghost is handed out. No other part
 * knows them yet, so a sweep must spare them, also those that are handed out while it lists.
 */
export interface StartingContainers {
  /** Tracks a name or an id until the returned function is called. */
  readonly add: (nameOrId: string) => () => void;
  /** What is starting now and, until `end`, everything that begins to start. */
  readonly watch: () => { readonly has: (nameOrId: string) => boolean; readonly end: () => void };
  /** A start under this name failed, and what it made is gone once `cleaned` resolves. It never rejects. */
  readonly leaving: (name: string, cleaned: Promise<void>) => void;
  /** Resolves once what failed starts under this name made is gone. */
  readonly left: (name: string) => Promise<void>;
  /** Nothing starts on this host any more. */
  readonly end: () => void;
}

/** What no sweep may remove. Two hosts of gateway.yaml may be one engine for a while, so they share it. */
export interface SparedContainers {
  /** Of each host its own: one name may be starting on two of them. */
  readonly starting: Set<ReadonlySet<string>>;
  readonly sweeps: Set<Set<string>>;
  /** Of open replicas. */
  readonly carriers: Set<string>;
}

export function sparedContainers(): SparedContainers {
  return { starting: new Set(), sweeps: new Set(), carriers: new Set() };
}

export function startingContainers({ starting, sweeps }: SparedContainers): StartingContainers {
  const current = new Set<string>();
  starting.add(current);
  const cleanings = new Map<string, Promise<void>>();
  return {
    add(nameOrId) {
      current.add(nameOrId);
      for (const seen of sweeps) seen.add(nameOrId);
      return () => current.delete(nameOrId);
    },
    watch() {
      const seen = new Set([...starting].flatMap((names) => [...names]));
      sweeps.add(seen);
      return { has: (nameOrId) => seen.has(nameOrId), end: () => sweeps.delete(seen) };
    },
    leaving(name, cleaned) {
      cleanings.set(name, cleaned);
      void cleaned.then(() => {
        if (cleanings.get(name) === cleaned) cleanings.delete(name);
      });
    },
    left: async (name) => cleanings.get(name),
    end: () => void starting.delete(current),
  };
}
