import { WordIndex } from '../arguments/word-index.ts';
import { hasAnyOf } from './forbidden-characters.ts';
import { TextFilter } from './text-filter.ts';

/**
 * The words of a command, read once for a wrapper and for everything that it runs: the arguments of a wrapped command
 * are the same words from a later position on.
 */
export class Words {
  readonly all: readonly string[];
  readonly index: WordIndex;
  #filter: TextFilter | undefined;

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
    if (characters === '' || !this.filter.mayHoldAnyOf(characters)) return false;
    return hasAnyOf(characters, from === 0 ? this.all : this.all.slice(from));
  }
}
