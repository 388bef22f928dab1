const rememberedSeconds = 120;

/** How often something was asked for of late: the busiest second of the last two minutes. */
export class Demand {
  /** Oldest first, one item for each second in which something came. */
  #seconds: { readonly at: number; count: number }[] = [];

  /** `now` in milliseconds, of any clock that does not go back. */
  arrived(now: number): void {
    const at = Math.floor(now / 1000);
    const last = this.#seconds.at(-1);
    if (last?.at === at) last.count += 1;
    else this.#seconds.push({ at, count: 1 });
    if (this.#seconds.length > rememberedSeconds) this.#seconds.shift();
  }

  peak(now: number): number {
    const oldest = Math.floor(now / 1000) - rememberedSeconds;
    this.#seconds = this.#seconds.filter(({ at }) => at > oldest);
    return this.#seconds.reduce((most, { count }) => Math.max(most, count), 0);
  }
}
