import { Effort } from './effort.ts';
import { compileGlob, type Glob, matchesGlob } from './glob.ts';
import { type Marks, marksOfPieces, type TextFilter } from './text-filter.ts';

export interface ArgPattern {
  /** One per argument; `**` stands for any number of them. At most `maxArgItems`. */
  readonly items: readonly (Glob | '**')[];
  /** The places of its `**`, as bits. */
  readonly stars: number;
  /** Of each item that is not `**`, one of these must be somewhere on the line. */
  readonly needs: readonly (readonly Marks[])[];
}

/** A pattern's places are the bits of one 32-bit number. */
export const maxArgItems = 30;

export function compileArgs(items: readonly string[]): ArgPattern {
  const compiled = items.map((item) => (item === '**' ? item : compileGlob(item)));
  const needs = compiled.flatMap((item) => (item === '**' ? [] : [item.map(marksOfPieces)]));
  const stars = compiled.reduce((bits, item, place) => (item === '**' ? bits | (1 << place) : bits), 0);
  return { items: compiled, stars, needs: needs.filter((some) => some.every((marks) => marks.length > 0)) };
}

/** Arguments, with what a strict rule may leave out of them or see in their place. */
export interface Line {
  readonly args: readonly string[];
  /** The place of the first that counts: what stands before it is another command's. All other places are counted alike. */
  readonly from: number;
  /** 1 for each argument that may be no argument of the pattern's, up to `leaveOutUntil`. */
  readonly mayLeaveOut?: Uint8Array;
  readonly leaveOutUntil?: number;
  /** What else an argument may stand for. */
  readonly otherwise?: ReadonlyMap<number, readonly string[]>;
  /** The words of the sub-command, and all the words that mean the same. */
  readonly path?: { readonly at: readonly number[]; readonly spellings: readonly (readonly string[])[] };
}

export function matchesArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  return matchesLine(pattern, { args, from: 0 }, new Effort()) === true;
}

/** Nothing that the pattern needs is missing: most rules of a long policy are about other words. */
export function mayMatchAnywhere({ needs }: ArgPattern, filter: TextFilter): boolean {
  return needs.every((some) => some.some((marks) => filter.mayHold(marks)));
}

/**
 * Anchored at both ends: every argument must be accounted for. The places in `items` that the arguments so far can have
 * led to are the bits of one number, moved on argument by argument: the time is at most arguments times items, without a
 * second try anywhere. `undefined`: there was not enough effort left to tell.
 */
export function matchesLine(pattern: ArgPattern, line: Line, effort: Effort): boolean | undefined {
  const { args, mayLeaveOut, leaveOutUntil = 0, otherwise, path } = line;
  const { items, stars } = pattern;
  const rest = stars & (1 << (items.length - 1));
  let places = reach(stars, 1);
  for (let at = line.from; at < args.length && places !== 0; at += 1) {
    // Whatever follows is in the last `**`.
    if ((places & rest) !== 0) return true;
    if (path?.at.includes(at) === true) {
      if (at === path.at[0]) places = throughPath(pattern, places, line, effort);
    } else {
      const stay = at < leaveOutUntil && mayLeaveOut?.[at] === 1 ? places : 0;
      const words = otherwise?.get(at);
      const next =
        words === undefined
          ? step(pattern, places, args[at] ?? '', effort)
          : words.reduce((all, word) => all | step(pattern, places, word, effort), 0);
      places = reach(stars, stay | next);
    }
    if (effort.isSpent) return undefined;
  }
  return (places & (1 << items.length)) !== 0;
}

/** As if every way to write the sub-command stood there. */
function throughPath(pattern: ArgPattern, places: number, { args, path }: Line, effort: Effort): number {
  const written = path?.at.map((at) => args[at] ?? '') ?? [];
  let next = 0;
  for (const words of [written, ...(path?.spellings ?? [])]) {
    next |= words.reduce((now, word) => reach(pattern.stars, step(pattern, now, word, effort)), places);
  }
  return next;
}

/** From each place to the next one, where the word is what stands there; a `**` is left by `reach`. */
function step({ items, stars }: ArgPattern, places: number, word: string, effort: Effort): number {
  let next = places & stars;
  for (let left = places & ~stars; left !== 0; left &= left - 1) {
    const place = 31 - Math.clz32(left & -left);
    const item = items[place];
    if (item === undefined || item === '**' || !effort.spend(costOf(item, word))) continue;
    if (matchesGlob(item, word)) next |= 1 << (place + 1);
  }
  effort.spend(1);
  return next;
}

/** Whatever has to be looked for inside a word takes longer with a longer one. */
function costOf(glob: Glob, word: string): number {
  let cost = 0;
  for (const pieces of glob) cost += pieces.length > 2 ? 1 + (word.length >>> 4) : 1;
  return cost;
}

/** A `**` may also stand for nothing, so the place behind it is reached with it. */
function reach(stars: number, places: number): number {
  let reached = places;
  for (let last = 0; last !== reached; ) {
    last = reached;
    reached |= (reached & stars) << 1;
  }
  return reached;
}
