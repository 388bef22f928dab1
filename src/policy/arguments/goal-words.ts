/** What was read so far. */
interface Read {
  readonly args: readonly string[];
  readonly isOption: Uint8Array;
  readonly otherwise: Map<number, readonly string[]>;
}

/** More goals than any person writes; a line with more is not understood. */
const mostGoals = 50;

/** The same for their letters together: what a goal may be made from is some hundred times as long as the goal. */
const mostLetters = 4000;

/**
 * A goal also stands for what the rules that are built into make may make it from. Returns a goal that is not
 * understood: a member of an archive (`x(deploy)`), one too many, or one too long.
 */
export function addGoals({ args, isOption, otherwise }: Read, from: number): string | undefined {
  let count = 0;
  let letters = 0;
  for (let at = isOption.indexOf(0, from); at !== -1; at = isOption.indexOf(0, at + 1)) {
    const goal = args[at] ?? '';
    count += 1;
    letters += goal.length;
    if (count > mostGoals || letters > mostLetters || isMember(goal)) return goal;
    otherwise.set(at, namesOf(goal));
  }
  return undefined;
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
