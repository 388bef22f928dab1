import { nameOf } from '../arguments/flag.ts';
import { type Implied, impliedBy } from '../arguments/implied-work.ts';
import { beginningsReadAgain } from '../arguments/late-words.ts';
import { readArguments } from '../arguments/read-arguments.ts';
import type { Reading } from '../arguments/reading.ts';
import { hasSafeArguments } from '../arguments/safe-arguments.ts';
import { firstWordsOf, subcommandWords } from '../arguments/subcommand-words.ts';
import type { Option, ToolGrammar } from '../arguments/tools/grammar.ts';
import type { KnownTools } from '../arguments/tools/known-tools.ts';
import type { CommandFacts, Rule, RuleIndex } from '../policy.ts';
import { Effort, matchesWithin } from './effort.ts';
import { type Free, GivenOptions } from './given-options.ts';
import type { Glob } from './glob.ts';
import { findUndoing, isUndone, lastingFlags } from './lasting-flags.ts';
import { type ArgPattern, type Line, matchesLine, mayMatchAnywhere } from './match-args.ts';
import { byAnyDash } from './option-names.ts';
import { isUnnamed, type OtherDirectory, otherDirectoryOf } from './other-directory.ts';
import { exactLines, generousLine } from './strict-lines.ts';
import type { TextFilter } from './text-filter.ts';
import type { Words } from './words.ts';
import type { Work } from './work.ts';

/** `unsure`: it is unknown, so a strict rule must hold. */
export type Fit = 'no' | 'yes' | 'unsure';

const [fewSteps, fewWords] = [12, 12];

/** The caller, the place and the tool; the words are separate. */
export type LineFacts = Omit<CommandFacts, 'args'>;

/** Arguments: the words from a position on. */
export interface PlacedWords {
  readonly words: Words;
  readonly from: number;
}

/** What is needed to read a line. */
export interface Sources {
  readonly index: RuleIndex;
  readonly work: Work;
  readonly known: KnownTools;
}

/** One command, read once for all rules; each part when it is first needed. */
export class CommandLine {
  readonly facts: LineFacts;
  /** If its tool is known. */
  readonly reading: Reading | undefined;
  readonly #grammar: ToolGrammar | undefined;
  readonly #words: Words;
  /** The position of the first argument among the words. */
  readonly #from: number;
  readonly #index: RuleIndex;
  readonly #effort: Effort;
  #strictLines: readonly Line[] | undefined;
  #implied: Implied | undefined;
  /** By whether its options count anywhere. */
  readonly #lasting = new Map<boolean, ReadonlySet<string>>();
  #given: { readonly rules: ReadonlySet<Rule> | undefined } | undefined;
  #options: GivenOptions | undefined;
  #filter: TextFilter | undefined;
  readonly #isLong: boolean;
  #isSafe: boolean | undefined;
  #elsewhere: OtherDirectory | undefined;
  #undoing: ReturnType<typeof findUndoing> | undefined;
  #firstWords: readonly string[] | undefined;
  /** By name. */
  #readAgain: ReadonlyMap<string, readonly string[]> | undefined;
  #ownWords: readonly string[] | undefined;
  #workWords: readonly string[] | undefined;

  constructor(facts: LineFacts, { words, from }: PlacedWords, { index, work, known }: Sources) {
    this.facts = facts;
    this.#words = words;
    this.#from = from;
    this.#index = index;
    this.#effort = work.effort;
    this.#isLong = words.all.length - from > fewWords || words.index.hasLongWord;
    this.#grammar = known.get(facts.tool);
    this.reading = this.#grammar && readArguments(this.#grammar, words.all, from);
  }

  /** Nothing more is told of this line: no rule needs another look. */
  get isSpent(): boolean {
    return this.#effort.isSpent;
  }

  get #strict(): readonly Line[] {
    this.#strictLines ??=
      this.reading === undefined || this.#work === undefined
        ? [generousLine(this.#words, this.#from)]
        : exactLines(this.#words, this.#from, this.reading, this.#work);
    return this.#strictLines;
  }

  get #work(): Implied | undefined {
    if (this.#grammar === undefined || this.reading === undefined) return undefined;
    this.#implied ??= impliedBy(this.#grammar, this.reading);
    return this.#implied;
  }

  /** Its own sub-command is certainly one of these. */
  isOneOf(subcommands: ReadonlySet<string>): boolean {
    const { reading } = this;
    if (reading?.sureOfSubcommand !== true) return false;
    this.#ownWords ??= subcommandWords(this.#grammar, new Set(reading.path.map(({ name }) => name)));
    return this.#ownWords.some((word) => subcommands.has(word));
  }

  /** It does the work of one of these sub-commands, or of one that they group. */
  doesWorkOf(subcommands: ReadonlySet<string>): boolean {
    this.#workWords ??= firstWordsOf([this.reading?.subcommand, ...(this.#work?.subcommands ?? [])]);
    return this.#workWords.some((word) => subcommands.has(word));
  }

  /** If its tool is known: no argument runs a program or writes a file. */
  get isSafe(): boolean {
    this.#isSafe ??=
      this.#grammar !== undefined &&
      this.reading !== undefined &&
      hasSafeArguments(this.#grammar, this.reading);
    return this.#isSafe;
  }

  /** Its tool may work in another directory than the working directory, by an option that the rule does not name. */
  mayLeave(rule: Rule): boolean {
    if (this.#grammar === undefined || this.reading === undefined) return false;
    this.#elsewhere ??= otherDirectoryOf(this.#grammar, this.reading, this.#words.all);
    return isUnnamed(this.#elsewhere, rule);
  }

  /** One of the flags stands there as it is written, and nothing undoes it; none does if the tool is not known. */
  hasLasting(rule: Rule): boolean {
    const { reading } = this;
    const { flags = [] } = rule;
    // A look at the words of each line within others would cost too much.
    if (reading === undefined || this.fitsFlags(rule) !== 'yes') return false;
    if (!reading.sure && !this.#isSaidAgain(reading, flags)) return false;
    // A person sees the whole line of what is asked about, wherever its flag stands.
    if (rule.action === 'ask') return flags.some((flag) => this.#flagsOf(reading, true).has(flag));
    const anywhere = this.#grammar?.optionsAnywhere === true;
    return (
      flags.some((flag) => this.#flagsOf(reading, anywhere).has(flag)) && !this.#mayBeUndone(reading, rule)
    );
  }

  #flagsOf(reading: Reading, optionsAnywhere: boolean): ReadonlySet<string> {
    const known = this.#lasting.get(optionsAnywhere);
    if (known !== undefined) return known;
    const found = lastingFlags(reading, { args: this.#words.all, from: this.#from }, { optionsAnywhere });
    this.#lasting.set(optionsAnywhere, found);
    return found;
  }

  #mayBeUndone(reading: Reading, { flags = [], args }: Rule): boolean {
    const inArgs = args?.options.flatMap(({ words }) => words.map(nameOf)) ?? [];
    if (this.#grammar === undefined) return true;
    this.#undoing ??= findUndoing(reading, this.#grammar);
    return isUndone(this.#undoing, new Set([...flags, ...inArgs]));
  }

  /** What is not understood is a word that its tool reads again, and the flags name it. */
  #isSaidAgain({ doubt = '' }: Reading, flags: readonly string[]): boolean {
    const begins = beginningsReadAgain(this.#grammar).some((start) => doubt.startsWith(start));
    return begins && flags.includes(nameOf(doubt));
  }

  /** One of the rule's flags was given, in any spelling. */
  fitsFlags(rule: Rule): Fit {
    this.#given ??= { rules: this.#rulesByFlags() };
    if (this.#given.rules === undefined) return 'unsure';
    return this.#given.rules.has(rule) ? 'yes' : 'no';
  }

  /** The same, or all of a flag that is several options, or an option with its value. */
  fitsFlagsTogether(rule: Rule): Fit {
    const fit = this.fitsFlags(rule);
    return fit === 'no' ? this.#fitsRows(rule) : fit;
  }

  #fitsRows(rule: Rule): Fit {
    const rows = this.#index.rows.get(rule) ?? [];
    const given = rows.length === 0 ? undefined : this.#givenOptions;
    const isGiven = given !== undefined && rows.some((flag) => given.hasAllOf(flag, this.#effort));
    return this.#effort.isSpent ? 'unsure' : isGiven ? 'yes' : 'no';
  }

  get #givenOptions(): GivenOptions | undefined {
    if (this.#grammar === undefined || this.reading === undefined) return undefined;
    this.#options ??= new GivenOptions(this.#grammar, this.reading);
    return this.#options;
  }

  #rulesByFlags(): ReadonlySet<Rule> | undefined {
    if (this.reading === undefined) return this.#index.flags.possible(this.#words.index, this.#from);
    return this.#rulesAbout(this.reading.given);
  }

  #rulesAbout(options: readonly Option[]): ReadonlySet<Rule> {
    const names = [...new Set(options)].flatMap(({ names: own, alike = [] }) => [...own, ...alike]);
    return this.#index.flags.of(names.flatMap(byAnyDash));
  }

  /** The rule says each word from which its tool may read more than stands there. */
  saysAllReadAgain({ args, flags = [] }: Rule): boolean {
    this.#readAgain ??= Map.groupBy(
      this.#words.beginningWith(beginningsReadAgain(this.#grammar), this.#from),
      nameOf,
    );
    const isSaid = (word: string) => args?.items.some((item) => saysWord(item, word)) === true;
    // Ends at the first that is not said, so it takes no more steps than the rule has flags and words.
    for (const [name, words] of this.#readAgain)
      if (!flags.includes(name) && !words.every(isSaid)) return false;
    return true;
  }

  fitsLiterally(pattern: ArgPattern): boolean {
    return this.#fits(pattern, { args: this.#words.all, from: this.#from }) === 'yes';
  }

  /** Without options and possible values of options, and with every name of the sub-command. */
  fitsStrictly(pattern: ArgPattern): Fit {
    const fits =
      pattern.options.length > 0 && this.reading !== undefined
        ? this.#fitsByOptions(pattern)
        : this.#strict.map((line) => this.#fits(pattern, line));
    return fits.find((fit) => fit === 'yes') ?? fits.find((fit) => fit === 'unsure') ?? 'no';
  }

  /** An item that names an option also fits if the option is given elsewhere, or in another spelling. */
  #fitsByOptions(pattern: ArgPattern): readonly Fit[] {
    const given = this.#mayMatch(pattern, this.#strict) ? this.#givenOptions : undefined;
    if (given === undefined) return [];
    const free = given.freeOf(pattern.options, this.#effort);
    if (free === undefined) return ['unsure'];
    return this.#strict.map((line) => fitOf(matchesLine(pattern, withFree(line, free), this.#effort)));
  }

  /** No pattern that begins like this can be about this sub-command, whatever the rest of the line is. */
  surelyBeginsOtherwise({ firsts }: ArgPattern): boolean {
    this.#firstWords ??= this.#findFirstWords();
    const words = this.#firstWords;
    if (firsts.length === 0) return words.length > 0;
    const effort = this.#effort;
    const mayBe = (first: Glob | '**') =>
      first === '**' || words.some((word) => effort.isSpent || matchesWithin(effort, first, word));
    return !firsts.some(mayBe) && !effort.isSpent;
  }

  /** All words up to the sub-command, and their other spellings. */
  #findFirstWords(): readonly string[] {
    const before = this.#words.all.slice(this.#from, (this.reading?.pathAt.at(-1) ?? this.#from - 1) + 1);
    return [...before, ...this.#strict.flatMap(otherWords)];
  }

  /** For most patterns the first words of a long line are enough; making a filter of the line takes longer. */
  #fits(pattern: ArgPattern, line: Line): Fit {
    if (this.#isLong && this.#filter === undefined && !this.#words.hasFilter) {
      const soon = matchesLine(pattern, line, new Effort(fewSteps));
      if (soon !== undefined) return soon ? 'yes' : 'no';
    }
    return this.#mayMatch(pattern, [line]) ? fitOf(matchesLine(pattern, line, this.#effort)) : 'no';
  }

  /** A line that is done to anything needs no word of the pattern. */
  #mayMatch(pattern: ArgPattern, lines: readonly Line[]): boolean {
    if (lines.some((line) => line.free !== undefined && mayBegin(pattern, line))) return true;
    this.#filter ??= this.#makeFilter();
    return mayMatchAnywhere(pattern, this.#filter);
  }

  #makeFilter(): TextFilter {
    const { filter } = this.#words;
    for (const word of new Set(this.#strict.flatMap(otherWords))) filter.add(word);
    return filter;
  }
}

function saysWord(item: Glob | '**', word: string): boolean {
  return item !== '**' && item.some(([only, ...others]) => only === word && others.length === 0);
}

/** The first word of the pattern is one of those for which the line counts, or may be. */
function mayBegin({ only: [first], options }: ArgPattern, { path }: Line): boolean {
  if (first === undefined || options.length > 0) return true;
  return path?.spellings.some(([word]) => word === first) === true;
}

function withFree(line: Line, { alone, withNext }: Free): Line {
  return { ...line, free: { alone: alone | (line.free?.alone ?? 0), withNext } };
}

function fitOf(matches: boolean | undefined): Fit {
  return matches === undefined ? 'unsure' : matches ? 'yes' : 'no';
}

/** What a strict rule may read there that is not written there. */
function otherWords({ otherwise, anyCase, path }: Line): readonly string[] {
  return [...(otherwise?.values() ?? []), ...(anyCase?.values() ?? []), ...(path?.spellings ?? [])].flat();
}
