/** Resolves when its caller may run a piece of work, which it does before it waits for anything else. */
export type NextPiece = () => Promise<void>;

/**
 * One piece in each turn of the event loop, of all that have one, in the order of asking: however many people look at
 * once, a turn takes no longer than the longest piece, and connections, commands and verdicts come between any two.
 */
export function createNextPiece(): NextPiece {
  const waiting = new Set<() => void>();
  let isTaken = false;
  function turn(): void {
    const [next] = waiting;
    isTaken = next !== undefined;
    if (next === undefined) return;
    setImmediate(turn);
    waiting.delete(next);
    next();
  }
  return async () => {
    if (isTaken) return await new Promise<void>((resolve) => void waiting.add(resolve));
    isTaken = true;
    setImmediate(turn);
  };
}

/** Asks for a piece for the work, unless it has asked for one that is still to come. */
export function inPieces(nextPiece: NextPiece, work: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    void nextPiece().then(() => {
      isAsked = false;
      work();
    });
  };
}
