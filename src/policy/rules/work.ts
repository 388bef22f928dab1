import { Effort } from './effort.ts';
import { Words } from './words.ts';

/** The work of one decision, shared by a wrapper and by what it runs. */
export class Work {
  readonly effort = new Effort();
  #last: Words | undefined;

  /** The same for the same arguments. */
  wordsOf(args: readonly string[]): Words {
    if (this.#last?.all !== args) this.#last = new Words(args);
    return this.#last;
  }
}
