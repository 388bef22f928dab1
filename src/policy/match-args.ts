import { isFlag, latestEndOfFlags, takesNext } from './flags.ts';
import { compileGlob, type Glob, matchesGlob } from './glob.ts';

export interface ArgPattern {
  /** One per argument; `**` stands for any number of them. At most `maxArgItems`. */
  readonly items: readonly (Glob | '**')[];
  /** One of these words must be there; absent where every item has a `*`. */
  readonly words?: readonly string[];
}

/** A pattern's places are the bits of one 32-bit number. */
export const maxArgItems = 30;

export function compileArgs(items: readonly string[]): ArgPattern {
  const words = items.find((item) => !item.includes('*'))?.split('|');
  return {
    items: items.map((item) => (item === '**' ? item : compileGlob(item))),
    ...(words === undefined ? {} : { words }),
  };
}

/** A command line as patterns see it, taken apart once for all of them. */
export interface Line {
  /** All that each argument may stand for. */
  readonly spellings: readonly (readonly string[])[];
  /** The same, wherever they stand. */
  readonly words: ReadonlySet<string>;
  /** Whether it may be no argument of the pattern's. */
  readonly mayLeaveOut: readonly boolean[];
}

export function literalLine(args: readonly string[]): Line {
  return { spellings: args.map((arg) => [arg]), words: new Set(args), mayLeaveOut: [] };
}

/**
 * Any flag before `--`, and whatever may be its value, may be left out, so that `git -C /x --quiet push` is seen as `git
 * push`. Lets more match than it must: only for rules that make the answer stricter.
 */
export function generousLine(args: readonly string[], spell = asItIs): Line {
  const end = latestEndOfFlags(args);
  const spellings = args.map(spell);
  return {
    spellings,
    words: new Set(spellings.flat()),
    mayLeaveOut: args
      .slice(0, end + 1)
      .map((arg, index) => index === end || isFlag(arg) || takesNext(args[index - 1])),
  };
}

const asItIs = (arg: string): readonly string[] => [arg];

export function matchesArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  return matchesLine(pattern, literalLine(args));
}

export function mayMatchArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  return matchesLine(pattern, generousLine(args));
}

/**
 * Anchored at both ends: every argument must be accounted for. The places in `items` that the arguments so far can have
 * led to are the bits of one number, moved on argument by argument: the time is at most arguments times items, without a
 * second try anywhere.
 */
export function matchesLine({ items, words }: ArgPattern, line: Line): boolean {
  // Most rules of a long policy are about other words.
  if (words?.some((word) => line.words.has(word)) === false) return false;
  return matchesItems(items, line);
}

function matchesItems(items: ArgPattern['items'], { spellings, mayLeaveOut }: Line): boolean {
  let places = reach(items, 1);
  for (let index = 0; index < spellings.length && places !== 0; index += 1) {
    const stay = mayLeaveOut[index] === true ? places : 0;
    places = reach(items, stay | step(items, places, spellings[index] ?? []));
  }
  return (places & (1 << items.length)) !== 0;
}

function step(items: ArgPattern['items'], places: number, spellings: readonly string[]): number {
  let next = 0;
  for (let place = 0; place < items.length; place += 1) {
    const item = items[place];
    if ((places & (1 << place)) === 0 || item === undefined) continue;
    if (item === '**') next |= 1 << place;
    else if (matchesAny(item, spellings)) next |= 1 << (place + 1);
  }
  return next;
}

function matchesAny(glob: Glob, spellings: readonly string[]): boolean {
  for (const one of spellings) if (matchesGlob(glob, one)) return true;
  return false;
}

/** A `**` may also stand for nothing, so the place behind it is reached with it. */
function reach(items: ArgPattern['items'], places: number): number {
  let reached = places;
  for (let place = 0; place < items.length; place += 1) {
    if (items[place] === '**' && (reached & (1 << place)) !== 0) reached |= 1 << (place + 1);
  }
  return reached;
}
