import { WordIndex } from '../arguments/word-index.ts';
import { lastWithAnyOf } from './forbidden-characters.ts';
import { TextFilter } from './text-filter.ts';

/**
 * The words of a command, read once for a wrapper and for everything that it runs: the arguments of a wrapped command
 * are the same words from a later position on.
 */
export class Words {
  readonly all: readonly string[];
  readonly index: WordIndex;
  #filter: TextFilter | undefined;
  /** By the characters that a tool forbids: which word is the last that contains one of them. */
  readonly #lastWith = new Map<string, number>();

  constructor(all: readonly string[]) {
    this.all = all;
    this.index = new WordIndex(all);
  }

  /** Of all the words. */
  get filter(): TextFilter {
    this.#filter ??= new TextFilter(this.all);
    return this.#filter;
  }

  get hasFilter(): boolean {
    return this.#filter !== undefined;
  }

  /** Whether any of the words from there on contains one of the characters. */
  hasAnyOf(characters: string, from: number): boolean {
    if (characters === '') return false;
    const last = this.#lastWith.get(characters) ?? lastWithAnyOf(characters, this.all);
    this.#lastWith.set(characters, last);
    return last >= from;
  }
}
