import { beginsAsOneOf, placesBeginning, readIfByNode } from '../arguments/late-words.ts';
import { WordIndex } from '../arguments/word-index.ts';
import { ForbiddenCharacters } from './forbidden-characters.ts';
import { TextFilter } from './text-filter.ts';
import type { WantedWords } from './wanted-words.ts';

/**
 * The words of a command, read once for a wrapper and for everything that it runs: the arguments of a wrapped command
 * are the same words from a later position on.
 */
export class Words {
  readonly all: readonly string[];
  readonly index: WordIndex;
  /** 1 for each that the rules may be about. */
  readonly #isWanted: Uint8Array;
  #wantedLength = 0;
  #filter: TextFilter | undefined;
  /** By the characters that a tool forbids: which word is the last that contains one of them; -1 if there is none. */
  readonly #lastWith = new Map<string, number>();
  /** By beginnings: the options that begin so, each with its last position. */
  readonly #lastOf = new Map<string, ReadonlyMap<string, number>>();

  /** One pass for all that is asked about every word, because most of its time is for fetching the words. */
  constructor(all: readonly string[], wanted: WantedWords, characters: string) {
    this.all = all;
    this.index = new WordIndex(all);
    this.#isWanted = new Uint8Array(all.length);
    const forbidden = new ForbiddenCharacters(characters);
    let last = -1;
    for (let at = 0; at < all.length; at += 1) {
      const word = all[at] ?? '';
      this.index.add(word, at);
      if (forbidden.isIn(word)) last = at;
      if (wanted.has(word)) this.#addWanted(word, at);
    }
    this.#lastWith.set(characters, last);
  }

  /** Of all the words that the rules may be about. */
  get filter(): TextFilter {
    this.#filter ??= this.#makeFilter();
    return this.#filter;
  }

  get hasFilter(): boolean {
    return this.#filter !== undefined;
  }

  /** Whether any of the words from there on contains one of the characters. */
  hasAnyOf(characters: string, from: number): boolean {
    const last = this.#lastWith.get(characters) ?? this.#findLastWith(new ForbiddenCharacters(characters));
    this.#lastWith.set(characters, last);
    return last >= from;
  }

  /** The name of one of the characters that the last such word contains. */
  nameOfOne(characters: string): string {
    const word = this.all[this.#lastWith.get(characters) ?? -1] ?? '';
    return new ForbiddenCharacters(characters).nameOfFirstIn(word);
  }

  /** The different options from there on that begin with one of these. */
  beginningWith(beginnings: readonly string[], from: number): readonly string[] {
    // Found once for all tools, which read more or fewer of them.
    const others = beginnings.filter((start) => !readIfByNode.includes(start));
    const found = [...this.#lastOfAll(readIfByNode), ...this.#lastOfAll(others)];
    return found.flatMap(([word, last]) => (last >= from && beginsAsOneOf(word, beginnings) ? word : []));
  }

  #lastOfAll(beginnings: readonly string[]): ReadonlyMap<string, number> {
    const key = beginnings.join(' ');
    const lastOf = this.#lastOf.get(key) ?? this.#findLastOf(beginnings);
    this.#lastOf.set(key, lastOf);
    return lastOf;
  }

  #findLastOf(beginnings: readonly string[]): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const at of placesBeginning(beginnings, this.all, 0)) found.set(this.all[at] ?? '', at);
    return found;
  }

  /** Marked and not listed: a list of them can be long, and to make it takes longer than to look again. */
  #addWanted(word: string, at: number): void {
    this.#isWanted[at] = 1;
    this.#wantedLength += word.length;
  }

  #makeFilter(): TextFilter {
    const filter = new TextFilter(this.#wantedLength);
    for (let at = 0; at < this.all.length; at += 1)
      if (this.#isWanted[at] === 1) filter.add(this.all[at] ?? '');
    return filter;
  }

  #findLastWith(forbidden: ForbiddenCharacters): number {
    for (let at = this.all.length - 1; at >= 0; at -= 1) if (forbidden.isIn(this.all[at] ?? '')) return at;
    return -1;
  }
}
