import { onAbort } from './abort.ts';

/** Lets so many in at a time; the others wait in the order of asking. */
export class Gate {
  readonly #limit: () => number;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Those that are in and those that wait. */
  get load(): number {
    return this.#active + this.#waiting.length;
  }

  /**
   * True if the caller is in; call `leave` when its work is over. For work that can be dropped: it never queues.
   */
  tryEnter(): boolean {
    if (this.#waiting.length > 0 || this.#active >= this.#limit()) return false;
    this.#active += 1;
    return true;
  }

  /** Resolves when the caller is in; call `leave` when its work is over. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryEnter()) return;
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    using _ = onAbort(signal, () => {
      const place = this.#waiting.indexOf(turn.resolve);
      // It was admitted a moment ago, so `leave` follows.
      if (place < 0) return;
      this.#waiting.splice(place, 1);
      turn.reject(signal.reason);
    });
    await turn.promise;
  }

  /** Does `work` inside. Rejects as `enter` does, or as `work`. */
  async through<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.leave();
    }
  }

  leave(): void {
    this.#active -= 1;
    this.open();
  }

  /** Admits as many as the limit allows; call it when the limit has changed. */
  open(): void {
    while (this.#active < this.#limit()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#active += 1;
      next();
    }
  }
}
