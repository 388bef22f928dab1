/** What may be made on the way to the goals of a line: for their positions, all the names, their own first. */
export type GoalWords = ReadonlyMap<number, readonly string[]>;

/** More goals than any person writes; a line with more is not understood. */
const mostGoals = 50;

/**
 * By the rules that are built into make. `undefined`: a goal is not understood, because it is a member of an archive
 * (`x(deploy)`), or there are too many.
 */
export function goalWords(
  args: readonly string[],
  from: number,
  isOption: Uint8Array,
): GoalWords | undefined {
  const found = new Map<number, readonly string[]>();
  for (let at = isOption.indexOf(0, from); at !== -1; at = isOption.indexOf(0, at + 1)) {
    const goal = args[at] ?? '';
    if (found.size === mostGoals || isMember(goal)) return undefined;
    found.set(at, namesOf(goal));
  }
  return found;
}

/** Of an archive. */
export function isMember(goal: string): boolean {
  return /[()]/.test(goal);
}

/** `deploy.out` is made from `deploy`, and that from `deploy.sh`, or from a version of it that is kept. */
function namesOf(goal: string): readonly string[] {
  const names = stemsOf(goal).flatMap((stem) => {
    const at = stem.lastIndexOf('/') + 1;
    const [directory, base] = [stem.slice(0, at), stem.slice(at)];
    const kept = [`${base},v`, `RCS/${base},v`, `RCS/${base}`, `s.${base}`, `SCCS/s.${base}`];
    return [stem, ...goalSuffixes.map((end) => stem + end), ...kept.map((one) => directory + one)];
  });
  return [...new Set([goal, ...names])];
}

/** It, and what is left of it without suffixes that make knows. */
function stemsOf(goal: string): readonly string[] {
  const stems = [goal];
  for (let stem = goal; stems.length < mostSuffixes; stems.push(stem)) {
    const end = goalSuffixes.find((one) => stem.endsWith(one) && stem.length > one.length);
    if (end === undefined) break;
    stem = stem.slice(0, -end.length);
  }
  return stems;
}

/** Make follows no rule twice on one way. */
const mostSuffixes = 8;

/** From `make -p -f /dev/null`: `.SUFFIXES`. */
export const goalSuffixes = [
  ...[
    '.out',
    '.a',
    '.ln',
    '.o',
    '.c',
    '.cc',
    '.C',
    '.cpp',
    '.p',
    '.f',
    '.F',
    '.m',
    '.r',
    '.y',
    '.l',
    '.ym',
    '.yl',
  ],
  ...[
    '.s',
    '.S',
    '.mod',
    '.sym',
    '.def',
    '.h',
    '.info',
    '.dvi',
    '.tex',
    '.texinfo',
    '.texi',
    '.txinfo',
    '.w',
    '.ch',
  ],
  ...['.web', '.sh', '.elc', '.el'],
];
