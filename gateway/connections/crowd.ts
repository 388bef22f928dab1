/** A connection, which has a name once it has shown whose it is. */
interface Named {
  name: string | undefined;
}

/**
 * Connections with one bound. An eighth of it, rounded up, is kept for those that have not shown whose they are:
 * names of many connections do not take it, however many names they are.
 */
export class Crowd<T extends Named> {
  /** In order of arrival. */
  readonly unproven = new Set<T>();
  readonly #names = new Map<string, Set<T>>();
  readonly #room: number;
  #proven = 0;

  constructor(most: number) {
    this.#room = Math.floor((most * 7) / 8);
  }

  count(name: string): number {
    return this.#names.get(name)?.size ?? 0;
  }

  /**
   * Whose place this name may take: that of the oldest connection of the name that has the most, if that has more even
   * then. The first connection of a name always gets in; if nobody else has two, it takes what is kept.
   */
  placeFor(name: string): { readonly instead: T | undefined } | undefined {
    if (this.#proven < this.#room) return { instead: undefined };
    let largest = new Set<T>();
    for (const each of this.#names.values()) if (each.size > largest.size) largest = each;
    const count = this.count(name);
    const [oldest] = largest;
    if (largest.size > count + 1) return { instead: oldest };
    return count === 0 ? { instead: undefined } : undefined;
  }

  prove(connection: T, name: string): void {
    this.unproven.delete(connection);
    const named = this.#names.get(name) ?? new Set<T>();
    this.#names.set(name, named.add(connection));
    this.#proven += 1;
  }

  remove(connection: T): void {
    this.unproven.delete(connection);
    const named = this.#names.get(connection.name ?? '');
    if (named?.delete(connection) !== true) return;
    this.#proven -= 1;
    if (named.size === 0) this.#names.delete(connection.name ?? '');
  }
}
