/** What happened in the last while, oldest first. Each call says how long that is, and how many are kept. */
export class SlidingWindow<Item extends { readonly at: number }> {
  #items: Item[] = [];

  get newest(): Item | undefined {
    return this.#items.at(-1);
  }

  /** `item` is no older than the newest; of all, the newest `most` are kept. */
  add(item: Item, most: number): void {
    this.#items.push(item);
    if (this.#items.length > most) this.#items = this.#items.slice(-most);
  }

  /** Those that are less than `length` older than `now`, which is the newest when left out; the others are forgotten. */
  within(length: number, now = this.newest?.at ?? 0): readonly Item[] {
    const first = this.#items.findIndex(({ at }) => now - at < length);
    if (first !== 0) this.#items = first < 0 ? [] : this.#items.slice(first);
    return this.#items;
  }
}
