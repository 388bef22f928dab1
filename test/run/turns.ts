import { execFileSync } from 'node:child_process';
import { inFull, slowFiles } from './slow-files.ts';
import { slowUnitFiles } from './slow-unit-files.ts';

export const turns = 12;
/** So many turns have other slow files; then they come again. */
const slowTurns = 6;

/** The slow files that a run of this turn, 0 to `turns` - 1, leaves out. */
export function leftOut(turn: number): readonly string[] {
  return otherTurns(slowFiles, turn, slowTurns);
}

/** The slow unit tests that a run with `--fast` of this turn leaves out. */
export function leftOutFast(turn: number): readonly string[] {
  return otherTurns(slowUnitFiles, turn, slowTurns);
}

/** The files that a run with `--long` of this turn tries with samples only. */
export function sampledOnly(turn: number): readonly string[] {
  return otherTurns(inFull, turn, turns);
}

function otherTurns(files: readonly string[], turn: number, among: number): readonly string[] {
  return files.filter((_, at) => at % among !== turn % among);
}

/** CLAWRDEN_TURN, or the turn of the commit that is checked out: each run of one commit takes the same files. */
export function turnOf(checkout: string): number {
  const wanted = process.env.CLAWRDEN_TURN ?? String(numberOfCommit(checkout) % turns);
  const turn = Number(wanted);
  if (Number.isInteger(turn) && turn >= 0 && turn < turns) return turn;
  throw new Error(`CLAWRDEN_TURN is ${wanted}; it is a number from 0 to ${turns - 1}`);
}

/** 0 if this is no clone. */
function numberOfCommit(checkout: string): number {
  try {
    const commit = execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.toString().slice(0, 8), 16);
  } catch {
    return 0;
  }
}
