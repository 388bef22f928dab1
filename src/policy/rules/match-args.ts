import { Effort, matchesWithin } from './effort.ts';
import type { Free } from './given-options.ts';
import { compileGlob, type Glob, inSmallLetters, matchesGlob } from './glob.ts';
import { firstItemsOf, type OptionItem, optionItemsOf } from './option-items.ts';
import { type Marks, marksOfPieces, type TextFilter } from './text-filter.ts';

export interface ArgPattern {
  /** One pattern per argument; `**` stands for any number of arguments, and never follows another. At most `maxArgItems`. */
  readonly items: readonly (Glob | '**')[];
  /** For each item that only one word matches: that word. */
  readonly only: readonly (string | undefined)[];
  /** The same in small letters, for arguments that their tool reads in any case. */
  readonly small: Pick<ArgPattern, 'items' | 'only' | 'stars'>;
  /** The positions of its `**`, as bits. */
  readonly stars: number;
  /** For each of these items, one of its alternatives must occur somewhere on the line. */
  readonly needs: readonly Need[];
  /** Those of its items that name options. */
  readonly options: readonly OptionItem[];
  /** What the first word of a line may be, if options are left out. */
  readonly firsts: readonly (Glob | '**')[];
}

/** An item that is not `**`, and the marks of each of its alternatives: at least one. */
export interface Need {
  readonly item: Glob;
  readonly marks: readonly Marks[];
}

/** The positions in a pattern are the bits of one 32-bit number. */
export const maxArgItems = 30;

/** `mayBeBare`: a tool that reads its first word as options without their dash is among those of the rule. */
export function compileArgs(items: readonly string[], mayBeBare = false): ArgPattern {
  // Several `**` in a row say what one says.
  const said = items.filter((item, place) => item !== '**' || items[place - 1] !== '**');
  const compiled = said.map((item) => (item === '**' ? item : compileGlob(item)));
  const options = optionItemsOf(said).filter(({ isBare }) => mayBeBare || !isBare);
  const needs = compiled.flatMap((item, at) =>
    item === '**' ||
    options.some(({ place, next }) => place === at || (next !== undefined && place + 1 === at))
      ? []
      : [{ item, marks: item.map(marksOfPieces) }],
  );
  const firsts = firstItemsOf(said);
  const stars = compiled.reduce((bits, item, place) => (item === '**' ? bits | (1 << place) : bits), 0);
  const small = compiled.map((item) => (item === '**' ? item : inSmallLetters(item)));
  return {
    items: compiled,
    only: compiled.map(onlyWordOf),
    small: { items: small, only: small.map(onlyWordOf), stars },
    stars,
    needs: needs.filter(({ marks }) => marks.every(({ length }) => length > 0)),
    options,
    firsts: compiled.filter((_, place) => firsts.has(place)),
  };
}

/** They are the whole line, each word as it is written. */
export function isLiteral(args: ArgPattern | undefined): boolean {
  return args?.items.every((item) => item !== '**' && item.every(({ length }) => length === 1)) === true;
}

/** Whether a rule with these `args` leaves any command out. */
export function isNarrow(args: ArgPattern | undefined): boolean {
  return args !== undefined && !args.items.every((item) => item === '**');
}

/** Whether one of the items says something of this word, and not only that a word is there. */
export function namesWord(args: ArgPattern | undefined, word: string): boolean {
  const says = (pieces: readonly string[]) => pieces.some((piece) => piece !== '');
  return (args?.items ?? []).some((item) => item !== '**' && matchesGlob(item.filter(says), word));
}

function onlyWordOf(item: Glob | '**'): string | undefined {
  if (item === '**' || item.length > 1) return undefined;
  const [pieces = []] = item;
  return pieces.length === 1 ? pieces[0] : undefined;
}

/** Arguments, with what a strict rule may leave out or replace. */
export interface Line {
  readonly args: readonly string[];
  /**
   * The position of the first word that counts; words before it belong to another command. All other positions are
   * relative to the same beginning.
   */
  readonly from: number;
  /** 1 for each argument that the pattern may skip, up to `leaveOutUntil`. */
  readonly mayLeaveOut?: Uint8Array;
  readonly leaveOutUntil?: number;
  /** Other meanings of an argument. */
  readonly otherwise?: ReadonlyMap<number, readonly string[]>;
  /** What an argument is in small letters, if the tool reads it in any case. */
  readonly anyCase?: ReadonlyMap<number, readonly string[]>;
  /** Items that the options of the line satisfy. */
  readonly free?: Free;
  /** Where a list of operands begins: each of them may stand for the first. */
  readonly listAt?: number;
  /** The words of the sub-command (if there is none: no position), and all words with the same meaning. */
  readonly path?: PathWords;
}

interface PathWords {
  readonly at: readonly number[];
  readonly spellings: readonly (readonly string[])[];
  /** Which word of each spelling is the first of a list. */
  readonly listAt?: number;
}

export function matchesArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  return matchesLine(pattern, { args, from: 0 }, new Effort()) === true;
}

/**
 * Nothing that the pattern needs is missing: most rules of a long policy are about other words. The filter has at least
 * the words that the pattern may be about.
 */
export function mayMatchAnywhere({ needs }: ArgPattern, filter: TextFilter): boolean {
  return needs.every(({ marks }) => marks.some((some) => filter.mayHold(some)));
}

/**
 * Anchored at both ends: the pattern must cover every argument. The bits of one number are the positions in `items`
 * that the arguments so far can reach; each argument moves them on. So the time is at most arguments times items,
 * without a second try. `undefined`: there was not enough effort left.
 */
export function matchesLine(pattern: ArgPattern, line: Line, effort: Effort): boolean | undefined {
  const { args, mayLeaveOut, leaveOutUntil = 0, path, free, listAt } = line;
  const { items, stars } = pattern;
  if (effort.isSpent) return undefined;
  const rest = stars & (1 << (items.length - 1));
  let places = reach(stars, 1, free);
  let beforeList = 0;
  // A line without a sub-command may do the work of one.
  if (path?.at.length === 0) places |= throughPath(pattern, places, line, effort);
  if (effort.isSpent) return undefined;
  for (let at = line.from; at < args.length && (places | beforeList) !== 0; at += 1) {
    // The last `**` covers all that follows.
    if ((places & rest) !== 0) return true;
    if (at === listAt) beforeList = places;
    if (path?.at.includes(at) === true) {
      if (at === path.at[0]) places = throughPath(pattern, places, line, effort);
    } else {
      const stay = at < leaveOutUntil && mayLeaveOut?.[at] === 1 ? places : 0;
      const next = stepAt(pattern, places | beforeList, line, at, effort);
      places = reach(stars, stay | next, free);
    }
    if (effort.isSpent) return undefined;
  }
  return (places & (1 << items.length)) !== 0;
}

/** As if every spelling of the sub-command stood there. */
function throughPath(
  pattern: ArgPattern,
  places: number,
  { args, path, free }: Line,
  effort: Effort,
): number {
  const written = path?.at.map((at) => args[at] ?? '') ?? [];
  let next = 0;
  for (const words of [written, ...(path?.spellings ?? [])]) {
    if (effort.isSpent) break;
    let beforeList = 0;
    next |= words.reduce((now, word, at) => {
      if (at === path?.listAt) beforeList = now;
      return reach(pattern.stars, step(pattern, now | beforeList, word, effort), free);
    }, places);
  }
  return next;
}

/** By any of the argument's meanings. */
function stepAt(
  pattern: ArgPattern,
  places: number,
  { args, otherwise, anyCase }: Line,
  at: number,
  effort: Effort,
): number {
  const words = otherwise?.get(at);
  const small = anyCase?.get(at);
  const next =
    words === undefined
      ? step(pattern, places, args[at] ?? '', effort)
      : words.reduce((all, word) => all | step(pattern, places, word, effort), 0);
  return small === undefined
    ? next
    : small.reduce((all, word) => all | step(pattern.small, places, word, effort), next);
}

/** Moves from each position to the next one if the word is the argument; `reach` handles `**`. */
function step(
  { items, only, stars }: ArgPattern['small'],
  places: number,
  word: string,
  effort: Effort,
): number {
  let next = places & stars;
  let cost = 1;
  for (let left = places & ~stars; left !== 0; left &= left - 1) {
    const place = 31 - Math.clz32(left & -left);
    const plain = only[place];
    if (plain === undefined) {
      if (fits(items[place], word, effort)) next |= 1 << (place + 1);
    } else {
      cost += 1;
      if (word === plain) next |= 1 << (place + 1);
    }
  }
  effort.spend(cost);
  return next;
}

function fits(item: Glob | '**' | undefined, word: string, effort: Effort): boolean {
  if (item === undefined || item === '**') return false;
  return matchesWithin(effort, item, word);
}

/** A `**` may also stand for no argument, so the position after it is reached too, as after an item that is free. */
function reach(stars: number, places: number, free?: Free): number {
  if (free === undefined) return places | ((places & stars) << 1);
  let all = places;
  for (let known = 0; known !== all; ) {
    known = all;
    all |= ((all & (stars | free.alone)) << 1) | ((all & free.withNext) << 2);
  }
  return all;
}
