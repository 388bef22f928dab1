import { isErrorCode } from '../../src/errors.ts';
import { exitCodes } from '../../src/exit-codes.ts';
import type { Ended } from './load.ts';

/** `done`, or the reason code of an end that is not the tool's own. */
export function endOf({ code, stderr }: Ended): string {
  return code === 0 ? 'done' : (/^clawrden: ([a-z-]+): /m.exec(stderr)?.[1] ?? 'unexplained');
}

/** Faults in the ends of commands; `starts` has a token for each time that one began. */
export function wrongEnds(ended: readonly Ended[], starts: readonly string[]): string[] {
  const began = Map.groupBy(starts, (token) => token);
  const twice = [...began]
    .filter(([, lines]) => lines.length > 1)
    .map(([token]) => `${token}: started twice`);
  return [...twice, ...ended.flatMap((one) => wrongEnd(one, began.has(one.token)))];
}

function wrongEnd(one: Ended, began: boolean): string[] {
  const { token, code, signal, stdout, stderr } = one;
  const shown = `${token}: exit ${code ?? signal}: ${JSON.stringify(stderr)}`;
  const end = endOf(one);
  if (end === 'done') return stdout === `${token}\n` && began ? [] : [`${shown}, but it never ran`];
  if (!isErrorCode(end)) return [`${shown}: no documented end`];
  if (exitCodes[end] !== code) return [`${shown}: another exit code than is documented`];
  return exitCodes[end] === 1 && began ? [`${shown}, and yet it ran`] : [];
}

/** How many ended in which way, the most frequent first. */
export function countEnds(ended: readonly Ended[]): Record<string, number> {
  const counts = [...Map.groupBy(ended, endOf)].map(([end, all]) => [end, all.length] as const);
  return Object.fromEntries(counts.sort(([, a], [, b]) => b - a));
}

const kinds = { g: 'ghosts', m: 'mirrors', r: 'in replicas' };

/** The same as a line, for each kind of command. */
export function tallyOf(ended: readonly Ended[]): string {
  return Object.entries(kinds)
    .map(([letter, kind]) => [kind, ended.filter(({ token }) => token.startsWith(letter))] as const)
    .map(([kind, some]) => `${kind} ${describeEnds(countEnds(some)) || 'none'}`)
    .join('; ');
}

/** What the first command of each end but `done` was told. */
export function examplesOf(ended: readonly Ended[]): string[] {
  const others = ended.filter((one) => endOf(one) !== 'done');
  const firsts = [...Map.groupBy(others, endOf).values()].flatMap(([first]) => first ?? []);
  return firsts.map(
    ({ token, code, ms, stderr }) => `${token}: exit ${code} after ${ms} ms: ${stderr.trim()}`,
  );
}

export function describeEnds(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([end, count]) => `${count} ${end}`)
    .join(', ');
}
