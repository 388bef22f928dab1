import { onAbort } from './abort.ts';

export interface Listeners {
  /** Calls `listener` at each change, until `signal` aborts, if there is one. */
  readonly watch: (listener: () => void, signal?: AbortSignal) => void;
  readonly tell: () => void;
}

/** Those who want to hear of a change, of which each then looks for itself. */
export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    watch: (listener, signal) => {
      listeners.add(listener);
      if (signal !== undefined) onAbort(signal, () => listeners.delete(listener));
    },
    tell: () => {
      for (const listener of listeners) listener();
    },
  };
}
