import { onAbort } from '../../../src/abort.ts';
/** How many containers one engine starts at a time; the others wait, first come first served. */
export class StartGate {
  readonly #limit: () => number;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Starts going on and waiting. */
  get load(): number {
    return this.#active + this.#waiting.length;
  }

  /** True where the start may begin at once; `leave` when it is over. For what can wait: it never queues. */
  tryEnter(): boolean {
    if (this.#waiting.length > 0 || this.#active >= this.#limit()) return false;
    this.#active += 1;
    return true;
  }

  /** Resolves when the start may begin, with `leave` to follow; rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryEnter()) return;
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    using _ = onAbort(signal, () => {
      const place = this.#waiting.indexOf(turn.resolve);
      // It was let in a moment ago, and `leave` follows.
      if (place < 0) return;
      this.#waiting.splice(place, 1);
      turn.reject(signal.reason);
    });
    await turn.promise;
  }

  leave(): void {
    this.#active -= 1;
    this.open();
  }

  /** Lets in whom the limit lets in; to be called when the limit has changed. */
  open(): void {
    while (this.#active < this.#limit()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#active += 1;
      next();
    }
  }
}
