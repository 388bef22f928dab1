import type { OutputOf } from './output-rows.ts';

/** What commands left, saved one after another. */
export interface Saves {
  /** Resolves when it is written, or lost because it cannot be. Nobody but the next save waits for room. */
  readonly save: (of: OutputOf, write: () => Promise<unknown>) => Promise<void>;
  /** Resolves when what this execution left is written; what others left is not waited for. */
  readonly saved: (caller: string, execution: string) => Promise<void>;
}

export function createSaves(makeRoom: () => Promise<void>): Saves {
  const writing = new Map<string, Promise<void>>();
  let last: Promise<void> = Promise.resolve();
  const keyOf = (caller: string, execution: string) => `${caller} ${execution}`;
  return {
    save: ({ caller, id }, write) => {
      const key = keyOf(caller, id);
      const written = last
        .then(write)
        .catch(() => {})
        .then(() => void writing.delete(key));
      writing.set(key, written);
      last = written.then(makeRoom).catch(() => {});
      return written;
    },
    saved: async (caller, execution) => await writing.get(keyOf(caller, execution)),
  };
}
