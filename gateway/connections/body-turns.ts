import type { NextPiece } from '../../src/next-piece.ts';
import { createLookTurns } from './look-turns.ts';
import { readJsonBody } from './read-json-body.ts';

/** What is smaller costs about a millisecond of the gateway's one thread. */
const largeBytes = 16 * 1024;

/** Reads the large bodies of one principal one at a time, each in a piece of its own. */
export interface BodyTurns {
  /** Throws `request-invalid`, and the signal's reason if that comes while it waits. */
  readonly read: (name: string, bytes: Buffer, signal: AbortSignal) => Promise<unknown>;
}

export function createBodyTurns(nextPiece: NextPiece): BodyTurns {
  const turns = createLookTurns(nextPiece, 1);
  return {
    read: async (name, bytes, signal) => {
      if (bytes.length <= largeBytes) return readJsonBody(bytes);
      return await turns.take(name, signal, async () => readJsonBody(bytes));
    },
  };
}
