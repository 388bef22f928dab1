import { randomFrom } from '../soak/random.ts';
import type { Case, StrategyName } from './case.ts';
import { allCases } from './cases/all.ts';

export const strategies: readonly StrategyName[] = ['ghost', 'mirror', 'passthrough'];

/** Picks the cases of a short run; CLAWRDEN_SEED sets it. */
export const seed = Number(process.env['CLAWRDEN_SEED'] ?? 1);

const shares: Readonly<Record<StrategyName, number>> = { ghost: 1 / 3, mirror: 1 / 3, passthrough: 1 / 6 };

/** The cases of one strategy whose names match. */
export function casesOf(strategy: StrategyName, only?: RegExp): Case[] {
  return allCases
    .filter((one) => one.strategies?.includes(strategy) !== false)
    .filter(({ name }) => only?.test(name) !== false);
}

/** A seeded part, of some 160 cases for ghost and for mirror; all of them in a long run. */
export function sampleOf(strategy: StrategyName): readonly Case[] {
  const cases = casesOf(strategy);
  if (process.env['CLAWRDEN_LONG'] === '1') return cases;
  const random = randomFrom(seed);
  return cases.filter(() => random() < shares[strategy]);
}
