/** A command waits for its host, and not for home: so long is soon. */
const soonMs = 5_000;

/** Tells once that a host takes longer than soon. Time in which something else is waited for does not count. */
export class SlowHost implements Disposable {
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | undefined;
  #leftMs = soonMs;
  #since = 0;
  #isOver = false;

  constructor(onSlow: () => void) {
    this.#onSlow = onSlow;
    this.go();
  }

  go(): void {
    if (this.#timer !== undefined || this.#isOver) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#onSlow();
    }, this.#leftMs);
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
