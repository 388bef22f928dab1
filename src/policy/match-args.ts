import { isFlag, latestEndOfFlags, takesNext } from './flags.ts';
import { compileGlob, type Glob, matchesGlob } from './glob.ts';

/** One item per argument; `**` stands for any number of them. */
export type ArgPattern = readonly (Glob | '**')[];

export function compileArgs(items: readonly string[]): ArgPattern {
  return items.map((item) => (item === '**' ? item : compileGlob(item)));
}

/** Anchored at both ends: every argument must be accounted for. */
export function matchesArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  return walk(pattern, args, () => false);
}

/**
 * The same, but any flag before `--`, and whatever may be its value, may be left out, so that `git -C /x --quiet push`
 * is seen as `git push`. Matches more than it must: only for rules that make the answer stricter.
 */
export function mayMatchArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  const end = latestEndOfFlags(args);
  return walk(pattern, args, (index) => {
    if (index > end) return false;
    const arg = args[index] ?? '';
    return index === end || isFlag(arg) || takesNext(args[index - 1]);
  });
}

/**
 * All places in `pattern` that the arguments so far can have led to, argument by argument: the time is at most their
 * product, without a second try anywhere.
 */
function walk(
  pattern: ArgPattern,
  args: readonly string[],
  mayLeaveOut: (index: number) => boolean,
): boolean {
  let places = reach(pattern, [0]);
  for (const [index, arg] of args.entries()) {
    const next = mayLeaveOut(index) ? [...places] : [];
    for (const place of places) {
      const item = pattern[place];
      if (item === '**') next.push(place);
      else if (item !== undefined && matchesGlob(item, arg)) next.push(place + 1);
    }
    places = reach(pattern, next);
    if (places.length === 0) return false;
  }
  return places.includes(pattern.length);
}

/** A `**` may also stand for nothing, so the place behind it is reached with it. */
function reach(pattern: ArgPattern, places: readonly number[]): number[] {
  const reached = new Set<number>();
  for (const from of places) {
    let place = from;
    reached.add(place);
    while (pattern[place] === '**') reached.add(++place);
  }
  return [...reached];
}
