import { SlidingWindow } from '../../../src/sliding-window.ts';

const rememberedSeconds = 120;

/** How often something was asked for recently: the busiest second of the last two minutes. */
export class Demand {
  /** One item for each second in which something was asked for. */
  readonly #seconds = new SlidingWindow<{ readonly at: number; count: number }>();

  /** `now` in milliseconds, on any clock that does not go back. */
  arrived(now: number): void {
    const at = Math.floor(now / 1000);
    const { newest } = this.#seconds;
    if (newest?.at === at) newest.count += 1;
    else this.#seconds.add({ at, count: 1 }, rememberedSeconds);
  }

  peak(now: number): number {
    const seconds = this.#seconds.within(rememberedSeconds, Math.floor(now / 1000));
    return seconds.reduce((most, { count }) => Math.max(most, count), 0);
  }
}
