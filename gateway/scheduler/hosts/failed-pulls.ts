const rememberedMs = 10 * 60_000;
const maxRemembered = 1000;
/** Few wait longer for a tool: pulls that were given up after that, in one wait or in several, count as one that failed. */
const patienceMs = 60_000;

/** Pulls that failed within the last 10 minutes, by host and reference. */
export class FailedPulls {
  /** On the monotonic clock; the latest last. */
  readonly #at = new Map<string, number>();
  /** How long was waited in vain since it last failed, or was there. */
  readonly #waited = new Map<string, number>();

  note(key: string): void {
    this.#waited.delete(key);
    remember(this.#at, key, performance.now());
  }

  gaveUp(key: string, afterMs: number): void {
    const waited = (this.#waited.get(key) ?? 0) + afterMs;
    if (waited >= patienceMs) this.note(key);
    else remember(this.#waited, key, waited);
  }

  /** It was pulled. */
  forget(key: string): void {
    for (const each of [this.#at, this.#waited]) each.delete(key);
  }

  when(key: string): number | undefined {
    const at = this.#at.get(key);
    return at !== undefined && performance.now() - at < rememberedMs ? at : undefined;
  }
}

function remember(all: Map<string, number>, key: string, value: number): void {
  all.delete(key);
  for (const oldest of all.keys()) {
    if (all.size < maxRemembered) break;
    all.delete(oldest);
  }
  all.set(key, value);
}
