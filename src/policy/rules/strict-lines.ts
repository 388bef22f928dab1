import type { Implied } from '../arguments/implied-work.ts';
import type { Reading } from '../arguments/reading.ts';
import type { Line } from './match-args.ts';
import type { Words } from './words.ts';

/** The line with all the words of its sub-command and of those whose work it also does. */
export function exactLines({ all }: Words, from: number, reading: Reading, work: Implied): readonly Line[] {
  const { isOption, otherwise, anyCase, pathAt, subcommand } = reading;
  const base = { args: all, from, otherwise, anyCase, mayLeaveOut: isOption, leaveOutUntil: all.length };
  const spellings = [...(subcommand?.spellings ?? []), ...work.spellings];
  const own: Line = spellings.length === 0 ? base : { ...base, path: { at: pathAt, spellings } };
  const first = (pathAt.at(-1) ?? -1) + 1;
  const { withOperand, withResources, toAnything } = work;
  return [
    own,
    ...instead(base, [...pathAt, ...operandsFrom(first, isOption, 1)], withOperand),
    ...(withResources === undefined
      ? []
      : instead(
          base,
          [...pathAt, ...operandsFrom(first, isOption, withResources.operands)],
          withResources.spellings,
        )),
    ...toAnythingLines(base, pathAt, toAnything),
  ];
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
  base: Line,
  at: readonly number[],
  spellings: readonly (readonly string[])[],
): readonly Line[] {
  return spellings.length === 0 ? [] : [{ ...base, path: { at, spellings } }];
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
