import type { CommandFacts, LegacyRule } from '../policy.ts';
import { Effort } from '../rules/effort.ts';
import { marksInside, TextFilter } from '../rules/text-filter.ts';
import { matchesLegacyGlob } from './legacy-glob.ts';

/** A command as the first Clawrden's rules see it: a name, and one text. */
export class LegacyLine {
  readonly #facts: CommandFacts;
  readonly #effort = new Effort();
  #joined: { readonly text: string; readonly filter: TextFilter } | undefined;

  constructor(facts: CommandFacts) {
    this.#facts = facts;
  }

  /** `undefined`: it would take too long. */
  fits({ command, substrings }: LegacyRule): boolean | undefined {
    if (!matchesLegacyGlob(command, this.#facts.tool)) return false;
    const isThere = substrings.length === 0 || substrings.some((part) => this.#holds(part));
    return this.#effort.isSpent ? undefined : isThere;
  }

  #holds(part: string): boolean {
    this.#joined ??= joined(this.#facts.args);
    const { text, filter } = this.#joined;
    return (
      filter.mayHold(marksInside(part)) && this.#effort.spend(1 + (text.length >>> 4)) && text.includes(part)
    );
  }
}

function joined(args: readonly string[]): { text: string; filter: TextFilter } {
  const text = args.join(' ');
  const filter = new TextFilter(text.length);
  filter.add(text);
  return { text, filter };
}
