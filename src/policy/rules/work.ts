import { Effort } from './effort.ts';
import type { WantedWords } from './wanted-words.ts';
import { Words } from './words.ts';

/** The work of one decision, shared by a wrapper and by what it runs. */
export class Work {
  readonly effort = new Effort();
  readonly #wanted: WantedWords;
  #last: Words | undefined;

  constructor(wanted: WantedWords) {
    this.#wanted = wanted;
  }

  /** The same for the same arguments. `characters`: those that the tool forbids. */
  wordsOf(args: readonly string[], characters: string): Words {
    if (this.#last?.all !== args) this.#last = new Words(args, this.#wanted, characters);
    return this.#last;
  }
}
