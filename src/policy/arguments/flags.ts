import { type Flag, fold, type Keys } from './flag.ts';
import type { WordIndex } from './word-index.ts';

/** More options than any person writes: if a line has more, the rest is not read. */
export const mostOptions = 2000;

/** What curl takes in front of the name of an option whose value has variables. */
const expanding = 'expand-';

/** Flags by all their spellings, each with what was said about it. Made once, used for every command. */
export class FlagIndex<T> {
  readonly #written = new Map<string, T[]>();
  readonly #letters = new Map<string, T[]>();
  readonly #beginnings = new Map<string, T[]>();
  /** For lines inside others, which have the same flags. */
  readonly #known = new WeakMap<readonly Flag[], ReadonlySet<T>>();

  add(flag: string, about: T): void {
    push(this.#written, flag, about);
    const bare = flag.replace(/^--?/, '');
    if (bare.length === 1) return push(this.#letters, bare, about);
    const name = fold(bare);
    for (let end = 1; end <= name.length; end += 1) push(this.#beginnings, name.slice(0, end), about);
  }

  /** What was said about exactly these flags. */
  of(flags: Iterable<string>): ReadonlySet<T> {
    return new Set([...flags].flatMap((flag) => this.#written.get(flag) ?? []));
  }

  /**
   * All flags that an unknown tool may read in these words: bundled (`-xg`, `-gvalue`), abbreviated (`--glo`), with
   * one dash or two, in capitals, with `_` for `-`, behind `expand-`. It also finds some other flags, so it is only for rules that make
   * the answer stricter. Absent if there are too many to check.
   */
  possible(line: WordIndex, from = 0): ReadonlySet<T> | undefined {
    // One more than is checked, if there are too many.
    const given = line.flags(from, line.latestEndOfFlags(from), mostOptions + 1);
    if (given.length > mostOptions) return undefined;
    const found = this.#known.get(given) ?? this.#possibleIn(given);
    this.#known.set(given, found);
    return found;
  }

  #possibleIn(given: readonly Flag[]): ReadonlySet<T> {
    const keys = given.map((flag) => flag.keys);
    const found = new Set<T>();
    for (const name of new Set(keys.flatMap((one) => [one.name, expandedIn(one.name)])))
      for (const about of this.#beginnings.get(name) ?? []) found.add(about);
    for (const about of this.#withLetters(keys)) found.add(about);
    return found;
  }

  #withLetters(keys: readonly Keys[]): readonly T[] {
    const all = [...this.#letters];
    if (keys.some(({ letters }) => letters === undefined)) return all.flatMap(([, about]) => about);
    // Letters that share a bit count as the same letter.
    const seen = new Uint8Array(128);
    for (const { letters = '' } of keys)
      for (let at = 0; at < letters.length; at += 1) seen[letters.charCodeAt(at) & 127] = 1;
    return all.flatMap(([letter, about]) => (seen[letter.charCodeAt(0) & 127] === 1 ? about : []));
  }
}

function expandedIn(name: string): string {
  return name.startsWith(expanding) ? name.slice(expanding.length) : name;
}

function push<T>(map: Map<string, T[]>, key: string, one: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [one]);
  else if (list.at(-1) !== one) list.push(one);
}
