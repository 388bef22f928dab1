import type { Implied, ResourceWords } from '../arguments/implied-work.ts';
import type { Reading } from '../arguments/reading.ts';
import type { Line } from './match-args.ts';
import type { Words } from './words.ts';

/** The line with all the words of its sub-command and of those whose work it also does. */
export function exactLines({ all }: Words, from: number, reading: Reading, work: Implied): readonly Line[] {
  const { isOption, otherwise, anyCase, pathAt, subcommand, listsFrom } = reading;
  const base = { args: all, from, otherwise, anyCase, mayLeaveOut: isOption, leaveOutUntil: all.length };
  const spellings = [...(subcommand?.spellings ?? []), ...work.spellings];
  const first = (pathAt.at(-1) ?? from - 1) + 1;
  /** A line for each list. Behind the operands of which words stand in the spellings. */
  const inLists = (operands: number, begins = listsFrom): readonly Line[] => {
    if (begins.length === 0) return [base];
    return begins.map((begin) => {
      const before = Math.max(begin - 1, operands);
      const listAt = operandsFrom(first, isOption, before + 1)[before];
      return listAt === undefined ? base : { ...base, listAt };
    });
  };
  const { withOperand, withResources, toAnything } = work;
  return [
    ...(spellings.length === 0 ? inLists(0) : instead(inLists(0), pathAt, spellings)),
    ...instead(inLists(1), [...pathAt, ...operandsFrom(first, isOption, 1)], withOperand),
    ...(withResources === undefined
      ? []
      : resourceLines(
          inLists(withResources.operands, [1]),
          [...pathAt, ...operandsFrom(first, isOption, withResources.operands)],
          withResources.spellings,
        )),
    ...toAnythingLines(base, pathAt, toAnything),
  ];
}

/** Names are a list, also those that stand in the word of their kind. */
function resourceLines(
  bases: readonly Line[],
  at: readonly number[],
  spellings: readonly ResourceWords[],
): readonly Line[] {
  return [...Map.groupBy(spellings, ({ words }) => words.length)].flatMap(([listAt, some]) =>
    bases.map((base) => ({
      ...base,
      path: { at, spellings: some.map(({ words, names }) => [...words, ...names]), listAt },
    })),
  );
}

/** Behind the words of what is done, a pattern may say what it likes. */
function toAnythingLines(
  base: Line,
  at: readonly number[],
  spellings: readonly (readonly string[])[],
): readonly Line[] {
  const mayLeaveOut = new Uint8Array(spellings.length === 0 ? 0 : base.args.length).fill(1);
  return [...Map.groupBy(spellings, ({ length }) => length)].map(([length, some]) => ({
    ...base,
    mayLeaveOut,
    path: { at, spellings: some },
    free: { alone: ~((1 << length) - 1), withNext: 0 },
  }));
}

function instead(
  bases: readonly Line[],
  at: readonly number[],
  spellings: readonly (readonly string[])[],
): readonly Line[] {
  return spellings.length === 0 ? [] : bases.map((base) => ({ ...base, path: { at, spellings } }));
}

/** The positions of the next operands, at most so many. */
function operandsFrom(first: number, isOption: Uint8Array, most: number): readonly number[] {
  const at: number[] = [];
  for (
    let next = isOption.indexOf(0, first);
    next !== -1 && at.length < most;
    next = isOption.indexOf(0, next + 1)
  )
    at.push(next);
  return at;
}

/** Any flag before `--`, and its possible value, may be left out: `-C /x --quiet push` is `push`. */
export function generousLine({ all, index }: Words, from: number): Line {
  const leaveOutUntil = index.latestEndOfFlags(from) + 1;
  return { args: all, from, mayLeaveOut: index.mayLeaveOut, leaveOutUntil };
}
