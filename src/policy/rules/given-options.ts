import { valueTexts } from '../arguments/any-case-words.ts';
import { nameOf } from '../arguments/flag.ts';
import { noValue, readWord } from '../arguments/read-word.ts';
import type { Reading } from '../arguments/reading.ts';
import type { Option, ToolGrammar } from '../arguments/tools/grammar.ts';
import { smallLetters } from '../small-letters.ts';
import { type Effort, matchesWithin } from './effort.ts';
import { compileGlob, type Glob, inSmallLetters } from './glob.ts';
import type { OptionItem } from './option-items.ts';
import { byAnyDash } from './option-names.ts';

/** Items of a pattern that a line's options satisfy, as bits: alone, or together with the next item. */
export interface Free {
  readonly alone: number;
  readonly withNext: number;
}

interface Given {
  readonly option: Option;
  /** Its values, in their order. */
  readonly texts: readonly string[];
  readonly times: number;
  /** If its tool reads its values in any case: what patterns in small letters may say of them. */
  readonly small: readonly string[] | undefined;
}

/** The options of a line that is wholly understood, as the items of a strict rule see them. */
export class GivenOptions {
  readonly #grammar: ToolGrammar;
  readonly #reading: Reading;
  readonly #byName = new Map<string, Given[]>();
  #spelled: readonly (readonly [word: string, given: Given])[] | undefined;

  constructor(grammar: ToolGrammar, reading: Reading) {
    this.#grammar = grammar;
    this.#reading = reading;
    for (const given of givenIn(reading, grammar))
      for (const name of namesOf(given.option)) {
        const same = this.#byName.get(name);
        if (same === undefined) this.#byName.set(name, [given]);
        else same.push(given);
      }
  }

  /** `undefined`: there was not enough effort left. */
  freeOf(items: readonly OptionItem[], effort: Effort): Free | undefined {
    let alone = 0;
    let withNext = 0;
    for (const item of items) {
      if (item.isBare && this.#grammar.bareCluster !== true) continue;
      for (const word of item.words) {
        const fit = this.#fit(word, item, effort);
        if (effort.isSpent) return undefined;
        if (fit.alone) alone |= 1 << item.place;
        if (fit.withNext) withNext |= 1 << item.place;
      }
    }
    return { alone, withNext };
  }

  #fit(word: string, item: OptionItem, effort: Effort): ItemFit {
    effort.spend(1);
    const name = nameOf(word);
    if (name.includes('*')) return this.#fitGlob(compileGlob(word), item, effort);
    const meant = (this.#byName.get(name) ?? []).filter((one) => this.#isMeant(one.option, name, item));
    if (meant.length === 0) return this.#fitLetters(word, item, effort);
    const attached = name === word ? undefined : word.slice(name.length + 1);
    return bothOf(
      meant.map((one) =>
        this.#standsForValue(one.option, name)
          ? { alone: attached !== undefined || item.next === undefined, withNext: item.next !== undefined }
          : fitOf(one, attached, item, effort),
      ),
    );
  }

  /** An option that means another one with a value (`--production`, `-A` of kubectl): with which one is not told. */
  #standsForValue({ names, value }: Option, name: string): boolean {
    if (value === 'required') return false;
    const own = this.#reading.subcommand?.options ?? this.#grammar.options;
    return byAnyDash(name).some((one) => !names.includes(one) && own.get(one)?.value === 'required');
  }

  /** Behind a word the sub-command's own option of that name counts, and not one of the tool. */
  #isMeant(option: Option, name: string, { isBehindWord }: OptionItem): boolean {
    const own = this.#reading.subcommand?.options;
    if (!isBehindWord || own === undefined) return true;
    const meant = byAnyDash(name).flatMap((one) => own.get(one) ?? []);
    return (
      meant.length === 0 ||
      own.get(option.names[0] ?? '') === option ||
      meant.some(({ names }) => names.join() === option.names.join())
    );
  }

  /** `-fdx`, `-mtext`: all that the tool reads in the item must be given. */
  #fitLetters(word: string, item: OptionItem, effort: Effort): ItemFit {
    if (word.includes('*')) return none;
    const isGiven: IsGiven = (one, name, text) =>
      this.#isMeant(one.option, name, item) &&
      (text === undefined || hasValue(one, compileGlob(text), effort));
    const read = this.#readAsGiven(word, item.next ?? noValue, isGiven, effort);
    if (read === undefined) return none;
    const takesNext = item.next !== undefined && read.operands.length === 0;
    return { alone: !takesNext, withNext: takesNext };
  }

  /** A flag that is letters in a row, or a letter with its value, or with the name of one (`-oProxyCommand`). */
  hasAllOf(flag: string, effort: Effort): boolean {
    const isGiven: IsGiven = (one, _, text) =>
      text === undefined || hasValue(one, [[text], [`${text}=`, '']], effort);
    return this.#readAsGiven(flag, noValue, isGiven, effort) !== undefined;
  }

  /** The word as the tool reads it before or behind its sub-command, if all that is in it was given. */
  #readAsGiven(word: string, next: string, isGiven: IsGiven, effort: Effort): Reading | undefined {
    const first = `-${word.replace(/^-+/, '').charAt(0)}`;
    if (!effort.spend(1) || !this.#byName.has(first)) return undefined;
    return [this.#grammar, ...this.#reading.path]
      .map((place) => (effort.spend(word.length) ? readWord(this.#grammar, place, [word, next]) : undefined))
      .find((read) => read?.sure === true && read.given.length > 0 && this.#wasGiven(read, isGiven));
  }

  #wasGiven(read: Reading, isGiven: IsGiven): boolean {
    return givenIn(read, undefined).every(({ option, texts, times }) => {
      const name = option.names[0] ?? '';
      const same = this.#byName.get(name) ?? [];
      const wanted = texts.map((text) => (text === noValue ? undefined : text));
      return (
        same.reduce((sum, one) => sum + one.times, 0) >= times &&
        same.some((one) => [undefined, ...wanted].every((text) => isGiven(one, name, text)))
      );
    });
  }

  #fitGlob(glob: Glob, item: OptionItem, effort: Effort): ItemFit {
    this.#spelled ??= [...new Set([...this.#byName.values()].flat())].flatMap((given) =>
      spellingsOf(given).map((word) => [word, given] as const),
    );
    const small = inSmallLetters(glob);
    const saysValue = glob.flat().some((piece) => piece.includes('='));
    let alone = false;
    let withNext = false;
    for (const [word, given] of this.#spelled) {
      if (effort.isSpent) return none;
      const fits =
        matchesWithin(effort, glob, word) ||
        (given.small !== undefined && matchesWithin(effort, small, word));
      if (!fits || !this.#isMeant(given.option, nameOf(word), item)) continue;
      if (!saysValue && given.option.value === 'none' && word.includes('=')) continue;
      alone = true;
      withNext ||= item.next !== undefined && hasValue(given, compileGlob(item.next), effort);
    }
    return { alone, withNext };
  }
}

/** Whether that is the option that is meant, and has that value. */
type IsGiven = (one: Given, name: string, text: string | undefined) => boolean;

interface ItemFit {
  readonly alone: boolean;
  readonly withNext: boolean;
}

const none: ItemFit = { alone: false, withNext: false };

function bothOf(fits: readonly ItemFit[]): ItemFit {
  return {
    alone: fits.some(({ alone }) => alone),
    withNext: fits.some(({ withNext }) => withNext),
  };
}

function fitOf(given: Given, attached: string | undefined, { next }: OptionItem, effort: Effort): ItemFit {
  if (attached !== undefined)
    return { alone: hasValue(given, compileGlob(attached), effort), withNext: false };
  const takesNext = given.option.value === 'required' && next !== undefined;
  return {
    alone: !takesNext,
    withNext: next !== undefined && hasNext(given, next, effort),
  };
}

function hasNext(given: Given, next: string, effort: Effort): boolean {
  if (given.texts.length > 0) return hasValue(given, compileGlob(next), effort);
  return given.option.value !== 'required' && next === 'true';
}

/** An optional value that is left out may be any, and a bare switch is `=true`. True once the effort is spent. */
function hasValue({ option, texts: own, small }: Given, wanted: Glob, effort: Effort): boolean {
  if (option.value === 'optional' && own.length === 0) return true;
  const texts = option.value === 'none' ? ['true'] : own;
  if (small !== undefined) {
    const likes = inSmallLetters(wanted);
    return small.some((each) => effort.isSpent || matchesWithin(effort, likes, each));
  }
  const fits = (text: string) => valuesLike(text).some((each) => matchesWithin(effort, wanted, each));
  return texts.some((text) => effort.isSpent || fits(text));
}

/** Ways to write a switch's value, in small letters. */
const switches = [
  ['true', '1', 't'],
  ['false', '0', 'f'],
];

/** `-o=x` is `-o x` for some tools, and `=x` for others. */
function valuesLike(text: string): readonly string[] {
  const bare = text.startsWith('=') ? text.slice(1) : text;
  const small = bare.length > 5 ? '' : smallLetters(bare);
  const same = switches.find((words) => words.includes(small)) ?? [];
  return [text, bare, ...same];
}

function givenIn({ given, values }: Reading, grammar: ToolGrammar | undefined): readonly Given[] {
  const all = new Map<Option, { texts: string[]; times: number }>();
  for (const option of given) {
    const known = all.get(option);
    if (known === undefined) all.set(option, { texts: [], times: 1 });
    else known.times += 1;
  }
  for (const { option, text } of values) all.get(option)?.texts.push(text);
  return [...all].map(([option, own]) => ({
    option,
    ...own,
    small: grammar && smallOf(grammar, option, own.texts),
  }));
}

function smallOf(
  grammar: ToolGrammar,
  option: Option,
  texts: readonly string[],
): readonly string[] | undefined {
  const small = texts
    .map((text) => valueTexts(grammar, option, text))
    .filter((each) => typeof each !== 'string');
  return small.length === 0 ? undefined : small.flat();
}

function namesOf({ names, alike = [] }: Option): ReadonlySet<string> {
  return new Set([...names, ...alike].flatMap(byAnyDash));
}

function spellingsOf({ option, texts, small = [] }: Given): readonly string[] {
  const all = [...texts, ...small];
  const names = [...namesOf(option)];
  if (option.value === 'none')
    return names.flatMap((name) => [name, ...valuesLike('true').map((text) => `${name}=${text}`)]);
  const values = option.value === 'optional' ? ['true', ...all] : all;
  return names.flatMap((name) => [
    name,
    ...values.flatMap((text) => [`${name}=${text}`, ...(name.length === 2 ? [`${name}${text}`] : [])]),
  ]);
}
