/** Resolves when a request of so many bytes may be parsed; `undefined` if that is now. */
export type ParseTurn = (bytes: number) => Promise<void> | undefined;

/** Parsed within a millisecond, whatever it contains. */
const smallBytes = 32 * 1024;

/**
 * One large request at a time, each in its own turn of the event loop: between two of them all other clients are
 * served.
 */
export function createParseTurns(): ParseTurn {
  let last = Promise.resolve();
  return (bytes) => {
    if (bytes <= smallBytes) return undefined;
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
