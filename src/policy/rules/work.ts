import { Effort } from './effort.ts';
import { hasAnyOf } from './forbidden-characters.ts';
import { TextFilter } from './text-filter.ts';

/** What one decision costs, shared by a wrapper and by what it runs: of the same arguments nothing is done twice. */
export class Work {
  readonly effort = new Effort();
  #made: { readonly args: readonly string[]; readonly filter: TextFilter } | undefined;
  readonly #clean = new Map<string, readonly string[]>();

  /** Of these arguments, and perhaps of others before them. */
  filterOf(args: readonly string[]): TextFilter {
    const made = this.madeFilterOf(args) ?? new TextFilter(args);
    if (made !== this.#made?.filter) this.#made = { args, filter: made };
    return made;
  }

  /** The same, if it is there already. */
  madeFilterOf(args: readonly string[]): TextFilter | undefined {
    if (this.#made === undefined || !isTail(args, this.#made.args)) return undefined;
    // What is asked of the same arguments next is answered at once.
    this.#made = { args, filter: this.#made.filter };
    return this.#made.filter;
  }

  /** Whether any of the arguments has one of the characters. */
  hasAnyOf(characters: string, args: readonly string[]): boolean {
    if (characters === '') return false;
    const clean = this.#clean.get(characters);
    if (clean !== undefined && isTail(args, clean)) return false;
    const has = hasAnyOf(characters, args);
    if (!has) this.#clean.set(characters, args);
    return has;
  }
}

function isTail(tail: readonly string[], args: readonly string[]): boolean {
  const skipped = args.length - tail.length;
  if (tail === args || skipped < 0) return skipped === 0;
  for (let at = 0; at < tail.length; at += 1) if (tail[at] !== args[at + skipped]) return false;
  return true;
}
