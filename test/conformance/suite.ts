import { randomFrom } from '../soak/random.ts';
import type { Case, StrategyName } from './case.ts';
import { allCases } from './cases/all.ts';

export const strategies: readonly StrategyName[] = ['ghost', 'mirror', 'passthrough'];

/** Picks the cases of a short run; CLAWRDEN_SEED sets it. */
export const seed = Number(process.env['CLAWRDEN_SEED'] ?? 1);

const share = 1 / 3;

/** The cases of one strategy whose names match. */
export function casesOf(strategy: StrategyName, only?: RegExp): Case[] {
  return allCases
    .filter((one) => one.strategies?.includes(strategy) !== false)
    .filter(({ name }) => only?.test(name) !== false);
}

/** A seeded third, or all of them in a long run. */
export function sample(cases: readonly Case[]): readonly Case[] {
  if (process.env['CLAWRDEN_LONG'] === '1') return cases;
  const random = randomFrom(seed);
  return cases.filter(() => random() < share);
}
