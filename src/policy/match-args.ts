import { isFlag, latestEndOfFlags, takesNext } from './flags.ts';
import { compileGlob, type Glob, matchesGlob } from './glob.ts';

/** One item per argument; `**` stands for any number of them. At most `maxArgItems`. */
export type ArgPattern = readonly (Glob | '**')[];

/** A pattern's places are the bits of one 32-bit number. */
export const maxArgItems = 30;

export function compileArgs(items: readonly string[]): ArgPattern {
  return items.map((item) => (item === '**' ? item : compileGlob(item)));
}

/** A command line as patterns see it, taken apart once for all of them. */
export interface Line {
  /** All that each argument may stand for. */
  readonly spellings: readonly (readonly string[])[];
  /** Whether it may be no argument of the pattern's. */
  readonly mayLeaveOut: readonly boolean[];
}

export function literalLine(args: readonly string[]): Line {
  return { spellings: args.map((arg) => [arg]), mayLeaveOut: [] };
}

/**
 * Any flag before `--`, and whatever may be its value, may be left out, so that `git -C /x --quiet push` is seen as `git
 * push`. Lets more match than it must: only for rules that make the answer stricter.
 */
export function generousLine(args: readonly string[], spell = asItIs): Line {
  const end = latestEndOfFlags(args);
  return {
    spellings: args.map(spell),
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
 * Anchored at both ends: every argument must be accounted for. The places in `pattern` that the arguments so far can have
 * led to are the bits of one number, moved on argument by argument: the time is at most arguments times items, without a
 * second try anywhere.
 */
export function matchesLine(pattern: ArgPattern, { spellings, mayLeaveOut }: Line): boolean {
  let places = reach(pattern, 1);
  for (let index = 0; index < spellings.length && places !== 0; index += 1) {
    const stay = mayLeaveOut[index] === true ? places : 0;
    places = reach(pattern, stay | step(pattern, places, spellings[index] ?? []));
  }
  return (places & (1 << pattern.length)) !== 0;
}

function step(pattern: ArgPattern, places: number, spellings: readonly string[]): number {
  let next = 0;
  for (let place = 0; place < pattern.length; place += 1) {
    const item = pattern[place];
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
function reach(pattern: ArgPattern, places: number): number {
  let reached = places;
  for (let place = 0; place < pattern.length; place += 1) {
    if (pattern[place] === '**' && (reached & (1 << place)) !== 0) reached |= 1 << (place + 1);
  }
  return reached;
}
