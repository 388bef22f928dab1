import { Effort } from './effort.ts';
import { TextFilter } from './text-filter.ts';

/** What one decision costs, shared by a wrapper and by what it runs. */
export class Work {
  readonly effort = new Effort();
  #made: { readonly args: readonly string[]; readonly filter: TextFilter } | undefined;

  /** Of these arguments, and perhaps of others before them. */
  filterOf(args: readonly string[]): TextFilter {
    if (this.#made === undefined || !isTail(args, this.#made.args))
      this.#made = { args, filter: new TextFilter(args) };
    return this.#made.filter;
  }
}

function isTail(tail: readonly string[], args: readonly string[]): boolean {
  const skipped = args.length - tail.length;
  return skipped >= 0 && tail.every((arg, at) => arg === args[at + skipped]);
}
