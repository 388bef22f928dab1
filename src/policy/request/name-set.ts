/** Names, and beginnings of names (`LC_*`). The time of a lookup does not grow with their number. */
export class NameSet {
  readonly #names: ReadonlySet<string>;
  /**
   * Sorted, and none is the beginning of another. So only the last one that does not come after a name can be its
   * beginning.
   */
  readonly #beginnings: readonly string[];

  constructor(patterns: readonly string[]) {
    this.#names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
    const beginnings = patterns.filter((pattern) => pattern.endsWith('*')).map((one) => one.slice(0, -1));
    const shortest: string[] = [];
    for (const one of beginnings.sort()) {
      const last = shortest.at(-1);
      if (last === undefined || !one.startsWith(last)) shortest.push(one);
    }
    this.#beginnings = shortest;
  }

  has(name: string): boolean {
    return this.#names.has(name) || name.startsWith(this.#lastUpTo(name) ?? `${name}*`);
  }

  #lastUpTo(name: string): string | undefined {
    let low = 0;
    let high = this.#beginnings.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#beginnings[middle] ?? '') <= name) low = middle + 1;
      else high = middle;
    }
    return this.#beginnings[low - 1];
  }
}
