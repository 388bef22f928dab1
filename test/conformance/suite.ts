import { type Case, type Mode, strategyOf } from './case.ts';
import { allCases } from './cases/all.ts';
import { isLeftOut } from './replica-exceptions.ts';

export const modes: readonly Mode[] = ['ghost', 'mirror', 'passthrough', 'replica', 'session'];

/** Shifts which cases a short run takes; CLAWRDEN_SEED sets it. */
export const seed = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** A short run takes one of this many. */
const oneOf: Readonly<Record<Mode, number>> = {
  ghost: 5,
  mirror: 5,
  passthrough: 8,
  replica: 16,
  session: 16,
};

/** The cases of one mode whose names match. */
export function casesOf(mode: Mode, only?: RegExp): Case[] {
  return allCases
    .filter((one) => one.strategies?.includes(strategyOf(mode)) !== false)
    .filter(({ name }) => mode !== 'replica' || !isLeftOut(name))
    .filter(({ name }) => only?.test(name) !== false);
}

/** All of them in a long run, else one of some: others for ghost than for mirror. */
export function sampleOf(mode: Mode): readonly Case[] {
  const cases = casesOf(mode);
  if (process.env['CLAWRDEN_LONG'] === '1') return cases;
  const from = seed + modes.indexOf(mode);
  return cases.filter((_, at) => (at + from) % oneOf[mode] === 0);
}
