const firstRestMs = 1_000;
const longestRestMs = 60_000;
/** The assumed length of a start until one was measured. */
const assumedMs = 200;
const newest = 0.3;
/** After so long a measured start says nothing any more, or a host that was slow once would never be tried again. */
const countsForMs = 60_000;

/**
 * How starts on one engine went. After a failure the engine rests, each time twice as long; then it gets one start at
 * a time until one succeeds.
 */
export class StartRecord {
  #latencyMs = assumedMs;
  #measuredAt = 0;
  #failures = 0;
  #restsUntil = 0;
  #problem = '';

  /** Why the last start failed; empty if it did not. */
  get problem(): string {
    return this.#problem;
  }

  /** The average of the starts of the last minute and those before them; the newest counts most. */
  get latencyMs(): number {
    return performance.now() - this.#measuredAt < countsForMs ? this.#latencyMs : assumedMs;
  }

  /** True while work should go elsewhere. */
  get resting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  /** True from a failure until a start succeeds. */
  get onTrial(): boolean {
    return this.#failures > 0;
  }

  succeeded(ms: number): void {
    const before = this.latencyMs;
    this.#latencyMs = before + newest * (ms - before);
    this.#measuredAt = performance.now();
    this.#failures = 0;
    this.#restsUntil = 0;
    this.#problem = '';
  }

  failed(why: string): void {
    this.#problem = why;
    const restMs = Math.min(firstRestMs * 2 ** this.#failures, longestRestMs);
    this.#failures += 1;
    this.#restsUntil = performance.now() + restMs;
  }
}
