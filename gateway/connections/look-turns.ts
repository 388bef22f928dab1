import { Gate } from '../../src/gate.ts';
import type { NextPiece } from '../../src/next-piece.ts';

/** A page of a list costs some milliseconds of the gateway's one thread, and of its database's. */
const looksAtOnce = 4;

/**
 * Lets so many looks of one principal be worked on at once; its others wait in turn, and nobody else's do. Each look
 * begins with a piece of its own, also if none of them waits for anything.
 */
export interface LookTurns {
  /** For streams, which are no looks: a reader takes a piece for each batch. */
  readonly nextPiece: NextPiece;
  /** Rejects with the signal's reason if that comes first. */
  readonly take: <T>(name: string, signal: AbortSignal, look: () => Promise<T>) => Promise<T>;
}

export function createLookTurns(nextPiece: NextPiece, atOnce = looksAtOnce): LookTurns {
  const gates = new Map<string, Gate>();
  return {
    nextPiece,
    take: async (name, signal, look) => {
      const gate = gates.get(name) ?? new Gate(() => atOnce);
      gates.set(name, gate);
      try {
        return await gate.through(signal, async () => {
          await nextPiece();
          return await look();
        });
      } finally {
        if (gate.load === 0) gates.delete(name);
      }
    },
  };
}
