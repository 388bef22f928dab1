import { isFlag, latestEndOfFlags, takesNext } from '../arguments/flags.ts';
import { type Reading, readArguments } from '../arguments/read-arguments.ts';
import { hasSafeArguments } from '../arguments/safe-arguments.ts';
import type { Subcommand, ToolGrammar } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import type { CommandFacts, Rule, RuleIndex } from '../policy.ts';
import { Effort } from './effort.ts';
import { type Glob, matchesGlob } from './glob.ts';
import { type ArgPattern, type Line, matchesLine, mayMatchAnywhere } from './match-args.ts';
import type { TextFilter } from './text-filter.ts';
import type { Work } from './work.ts';

/** `unsure`: nobody can tell, so a strict rule must hold. */
export type Fit = 'no' | 'yes' | 'unsure';

const fewSteps = 12;
const longWord = 1000;

/** One command, taken apart once for all rules; each part when it is first asked for. */
export class CommandLine {
  readonly facts: CommandFacts;
  /** Where its tool is known. */
  readonly reading: Reading | undefined;
  readonly #grammar: ToolGrammar | undefined;
  readonly #index: RuleIndex;
  readonly #work: Work;
  #strictLine: Line | undefined;
  #written: ReadonlySet<Rule> | undefined;
  #given: { readonly rules: ReadonlySet<Rule> | undefined } | undefined;
  #filter: TextFilter | undefined;
  #isFilterMade: boolean | undefined;
  readonly #isLong: boolean;
  #isSafe: boolean | undefined;
  #firstWords: readonly string[] | undefined;

  constructor(facts: CommandFacts, index: RuleIndex, work: Work) {
    this.facts = facts;
    this.#index = index;
    this.#work = work;
    this.#isLong = facts.args.length > fewSteps || facts.args.some((arg) => arg.length > longWord);
    this.#grammar = knownTools.get(facts.tool);
    this.reading = this.#grammar && readArguments(this.#grammar, facts.args);
  }

  get #strict(): Line {
    this.#strictLine ??=
      this.#grammar === undefined || this.reading === undefined
        ? generousLine(this.facts.args)
        : exactLine(this.facts.args, this.reading, this.#grammar);
    return this.#strictLine;
  }

  /** Where its tool is known: none of the arguments runs a program or writes a file. */
  get isSafe(): boolean {
    this.#isSafe ??=
      this.#grammar !== undefined &&
      this.reading !== undefined &&
      hasSafeArguments(this.#grammar, this.reading);
    return this.#isSafe;
  }

  /** One of the rule's flags stands there as it is written. */
  hasWritten(rule: Rule): boolean {
    this.#written ??= this.#index.flags.written(this.facts.args);
    return this.#written.has(rule);
  }

  /** One of the rule's flags was given, by whatever spelling. */
  fitsFlags(rule: Rule): Fit {
    this.#given ??= { rules: this.#rulesByFlags() };
    if (this.#given.rules === undefined) return 'unsure';
    return this.#given.rules.has(rule) ? 'yes' : 'no';
  }

  #rulesByFlags(): ReadonlySet<Rule> | undefined {
    const { flags } = this.#index;
    if (this.reading === undefined) return flags.possible(this.facts.args);
    return flags.of(
      [...new Set(this.reading.given)].flatMap(({ names, alike = [] }) =>
        [...names, ...alike].flatMap(byAnyDash),
      ),
    );
  }

  fitsLiterally(pattern: ArgPattern): boolean {
    return this.#fits(pattern, { args: this.facts.args }) === 'yes';
  }

  /** With options, and what may be their values, left out, and the sub-command by any of its names. */
  fitsStrictly(pattern: ArgPattern): Fit {
    return this.#fits(pattern, this.#strict);
  }

  /** The sub-command is surely none that a pattern which begins so is about, whatever the rest of the line is. */
  surelyBeginsOtherwise(first: Glob | undefined): boolean {
    this.#firstWords ??= this.#findFirstWords();
    const words = this.#firstWords;
    if (first === undefined) return words.length > 0;
    return this.#work.effort.spend(words.length) && !words.some((word) => matchesGlob(first, word));
  }

  /** All that stands up to the sub-command, and what else could stand there. */
  #findFirstWords(): readonly string[] {
    const { path, otherwise } = this.#strict;
    const before = this.facts.args.slice(0, (path?.at.at(-1) ?? -1) + 1);
    return [...before, ...(path?.spellings ?? []).flat(), ...(otherwise?.values() ?? [])].flat();
  }

  /** Most patterns are told from a long line by its first words; making a filter of it takes longer than that. */
  #fits(pattern: ArgPattern, line: Line): Fit {
    if (this.#isLong && !this.#hasFilter()) {
      const soon = matchesLine(pattern, line, new Effort(fewSteps));
      if (soon !== undefined) return soon ? 'yes' : 'no';
    }
    this.#filter ??= this.#makeFilter();
    if (!mayMatchAnywhere(pattern, this.#filter)) return 'no';
    const matches = matchesLine(pattern, line, this.#work.effort);
    return matches === undefined ? 'unsure' : matches ? 'yes' : 'no';
  }

  /** The wrapper around it may have made one. */
  #hasFilter(): boolean {
    this.#isFilterMade ??= this.#work.madeFilterOf(this.facts.args) !== undefined;
    return this.#isFilterMade || this.#filter !== undefined;
  }

  #makeFilter(): TextFilter {
    const filter = this.#work.filterOf(this.facts.args);
    const { otherwise, path } = this.#strict;
    for (const words of [...(otherwise?.values() ?? []), ...(path?.spellings ?? [])])
      for (const word of words) filter.add(word);
    return filter;
  }
}

/** An option with one dash for two, and the other way round, as tools that do not count dashes take it. */
function byAnyDash(name: string): readonly string[] {
  if (name.length === 2) return [name];
  return [name, name.startsWith('--') ? name.slice(1) : `-${name}`];
}

function exactLine(args: readonly string[], reading: Reading, grammar: ToolGrammar): Line {
  const { isOption, otherwise, pathAt, subcommand } = reading;
  return {
    args,
    otherwise,
    mayLeaveOut: isOption,
    ...(subcommand === undefined
      ? {}
      : { path: { at: pathAt, spellings: workOf(reading, subcommand, grammar) } }),
  };
}

/** All the words for a sub-command, and for what it does for others on its way. */
function workOf(
  { path }: Reading,
  { spellings }: Subcommand,
  grammar: ToolGrammar,
): readonly (readonly string[])[] {
  const others = path.flatMap(({ does = [] }) => does);
  return [...spellings, ...others.flatMap((name) => grammar.subcommands?.get(name)?.spellings ?? [])];
}

/** Any flag before `--`, and whatever may be its value, may be left out: `-C /x --quiet push` is `push`. */
function generousLine(args: readonly string[]): Line {
  const end = latestEndOfFlags(args);
  const mayLeaveOut = new Uint8Array(args.length);
  let last = '';
  for (let at = 0; at < end; at += 1) {
    const arg = args[at] ?? '';
    if (isFlag(arg) || takesNext(last)) mayLeaveOut[at] = 1;
    last = arg;
  }
  if (end < args.length) mayLeaveOut[end] = 1;
  return { args, mayLeaveOut };
}
