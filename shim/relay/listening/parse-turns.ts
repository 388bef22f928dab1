/** Resolves when a request of so many bytes may be read; `undefined` where that is now. */
export type ParseTurn = (bytes: number) => Promise<void> | undefined;

/** Read in a millisecond, whatever is in it. */
const smallBytes = 32 * 1024;

/** One large request at a time, each in a turn of its own of the event loop: between two of them everybody else is served. */
export function createParseTurns(): ParseTurn {
  let last = Promise.resolve();
  return (bytes) => {
    if (bytes <= smallBytes) return undefined;
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
