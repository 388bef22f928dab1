const firstRestMs = 1_000;
const longestRestMs = 60_000;
/** What a start is taken to last until one was seen. */
const assumedMs = 200;
const newest = 0.3;

/**
 * How starts on one engine went. After a failure the engine rests, each time twice as long; then one start at a time
 * is tried until one succeeds.
 */
export class StartRecord {
  #latencyMs = assumedMs;
  #failures = 0;
  #restsUntil = 0;

  /** The recent starts' average, the newest counting most. */
  get latencyMs(): number {
    return this.#latencyMs;
  }

  /** True while work had better go elsewhere. */
  get resting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  /** True from a failure until a start succeeds. */
  get onTrial(): boolean {
    return this.#failures > 0;
  }

  succeeded(ms: number): void {
    this.#latencyMs += newest * (ms - this.#latencyMs);
    this.#failures = 0;
    this.#restsUntil = 0;
  }

  failed(): void {
    const restMs = Math.min(firstRestMs * 2 ** this.#failures, longestRestMs);
    this.#failures += 1;
    this.#restsUntil = performance.now() + restMs;
  }
}
