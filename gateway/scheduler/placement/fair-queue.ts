/**
 * A queue with one line for each owner. The lines are served in turn, so an owner that floods waits behind its own
 * items.
 */
export class FairQueue<T extends { readonly owner: string }> {
  /** In the order in which they are served next. */
  readonly #lines = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    const line = this.#lines.get(item.owner);
    if (line === undefined) this.#lines.set(item.owner, [item]);
    else line.push(item);
    this.#size += 1;
  }

  /** Removes an item that gave up; false if it is not here any more. */
  remove(item: T): boolean {
    const line = this.#lines.get(item.owner);
    const at = line?.indexOf(item) ?? -1;
    if (line === undefined || at === -1) return false;
    line.splice(at, 1);
    this.#size -= 1;
    if (line.length === 0) this.#lines.delete(item.owner);
    return true;
  }

  /** Removes an item that was served: its owner's line is then last. */
  served(item: T): void {
    if (!this.remove(item)) return;
    const line = this.#lines.get(item.owner);
    if (line === undefined) return;
    this.#lines.delete(item.owner);
    this.#lines.set(item.owner, line);
  }

  /**
   * The first item of every line, then the second of every line, and so on: the order in which they would be served.
   */
  *inTurn(): Generator<T> {
    const lines = [...this.#lines.values()];
    for (let round = 0, left = this.#size; left > 0; round++) {
      for (const line of lines) {
        const item = line[round];
        if (item === undefined) continue;
        left -= 1;
        yield item;
      }
    }
  }
}
