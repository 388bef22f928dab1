import { setImmediate as turn } from 'node:timers/promises';
import { Gate } from '../../src/gate.ts';

/** A page of a list costs some milliseconds of the gateway's one thread, and of its database's. */
const looksAtOnce = 4;

/**
 * Lets so many looks of one principal be worked on at once; its others wait in turn, and nobody else's do: behind each
 * look others have the thread, also if none of them waits for anything.
 */
export interface LookTurns {
  /** Rejects with the signal's reason if that comes first. */
  readonly take: <T>(name: string, signal: AbortSignal, look: () => Promise<T>) => Promise<T>;
}

export function createLookTurns(atOnce = looksAtOnce): LookTurns {
  const gates = new Map<string, Gate>();
  return {
    take: async (name, signal, look) => {
      const gate = gates.get(name) ?? new Gate(() => atOnce);
      gates.set(name, gate);
      try {
        return await gate.through(signal, async () => {
          try {
            return await look();
          } finally {
            await turn();
          }
        });
      } finally {
        if (gate.load === 0) gates.delete(name);
      }
    },
  };
}
