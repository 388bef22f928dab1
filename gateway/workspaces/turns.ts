import { onAbort } from '../../src/abort.ts';

/** One after the other, in the order of asking. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, which lasts until it is disposed of. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    // Who gives up its place hands it on only once it is there.
    this.#last = before.then(() => promise);
    const aborted = Promise.withResolvers<never>();
    using _ = onAbort(signal, () => {
      resolve();
      aborted.reject(signal.reason);
    });
    await Promise.race([before, aborted.promise]);
    return { [Symbol.dispose]: resolve };
  }
}
