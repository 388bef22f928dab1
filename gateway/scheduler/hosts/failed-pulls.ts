const rememberedMs = 10 * 60_000;
const maxRemembered = 1000;

/** Pulls that failed within the last 10 minutes, by host and reference. */
export class FailedPulls {
  /** On the monotonic clock; the latest last. */
  readonly #at = new Map<string, number>();

  note(key: string): void {
    this.#at.delete(key);
    for (const oldest of this.#at.keys()) {
      if (this.#at.size < maxRemembered) break;
      this.#at.delete(oldest);
    }
    this.#at.set(key, performance.now());
  }

  when(key: string): number | undefined {
    const at = this.#at.get(key);
    return at !== undefined && performance.now() - at < rememberedMs ? at : undefined;
  }
}
