import { isFlag, latestEndOfFlags, takesNext } from './flags.ts';
import { compileGlob, type Glob, matchesGlob } from './glob.ts';

/** One item per argument; `**` stands for any number of them. At most `maxArgItems`. */
export type ArgPattern = readonly (Glob | '**')[];

/** A pattern's places are the bits of one 32-bit number. */
export const maxArgItems = 30;

export function compileArgs(items: readonly string[]): ArgPattern {
  return items.map((item) => (item === '**' ? item : compileGlob(item)));
}

/** Anchored at both ends: every argument must be accounted for. */
export function matchesArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  return walk(pattern, args, asItIs, () => false);
}

/** All that an argument may stand for. */
export type Spell = (arg: string) => readonly string[];

const asItIs: Spell = (arg) => [arg];

/**
 * The same, but any flag before `--`, and whatever may be its value, may be left out, so that `git -C /x --quiet push`
 * is seen as `git push`. Matches more than it must: only for rules that make the answer stricter.
 */
export function mayMatchArgs(pattern: ArgPattern, args: readonly string[], spell = asItIs): boolean {
  const end = latestEndOfFlags(args);
  return walk(pattern, args, spell, (index) => {
    if (index > end) return false;
    const arg = args[index] ?? '';
    return index === end || isFlag(arg) || takesNext(args[index - 1]);
  });
}

/**
 * The places in `pattern` that the arguments so far can have led to are the bits of one number, moved on argument by
 * argument: the time is at most arguments times items, without a second try anywhere.
 */
function walk(
  pattern: ArgPattern,
  args: readonly string[],
  spell: Spell,
  mayLeaveOut: (index: number) => boolean,
): boolean {
  let places = reach(pattern, 1);
  for (let index = 0; index < args.length && places !== 0; index += 1) {
    const stay = mayLeaveOut(index) ? places : 0;
    places = reach(pattern, stay | step(pattern, places, spell(args[index] ?? '')));
  }
  return (places & (1 << pattern.length)) !== 0;
}

function step(pattern: ArgPattern, places: number, spellings: readonly string[]): number {
  let next = 0;
  for (let place = 0; place < pattern.length; place += 1) {
    const item = pattern[place];
    if ((places & (1 << place)) === 0 || item === undefined) continue;
    if (item === '**') next |= 1 << place;
    else if (spellings.some((one) => matchesGlob(item, one))) next |= 1 << (place + 1);
  }
  return next;
}

/** A `**` may also stand for nothing, so the place behind it is reached with it. */
function reach(pattern: ArgPattern, places: number): number {
  let reached = places;
  for (let place = 0; place < pattern.length; place += 1) {
    if (pattern[place] === '**' && (reached & (1 << place)) !== 0) reached |= 1 << (place + 1);
  }
  return reached;
}
