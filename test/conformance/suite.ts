import type { Case, StrategyName } from './case.ts';
import { allCases } from './cases/all.ts';

export const strategies: readonly StrategyName[] = ['ghost', 'mirror', 'passthrough'];

/** Shifts which cases a short run takes; CLAWRDEN_SEED sets it. */
export const seed = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** A short run takes one of this many. */
const oneOf: Readonly<Record<StrategyName, number>> = { ghost: 3, mirror: 3, passthrough: 6 };

/** The cases of one strategy whose names match. */
export function casesOf(strategy: StrategyName, only?: RegExp): Case[] {
  return allCases
    .filter((one) => one.strategies?.includes(strategy) !== false)
    .filter(({ name }) => only?.test(name) !== false);
}

/** All of them in a long run, else about every third: others for ghost than for mirror. */
export function sampleOf(strategy: StrategyName): readonly Case[] {
  const cases = casesOf(strategy);
  if (process.env['CLAWRDEN_LONG'] === '1') return cases;
  const from = seed + strategies.indexOf(strategy);
  return cases.filter((_, at) => (at + from) % oneOf[strategy] === 0);
}
