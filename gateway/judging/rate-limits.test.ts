import { expect, test } from 'vitest';
import type { Rate } from '../../src/policy/policy.ts';
import type { Judgement } from './judge.ts';
import { createRateLimits } from './rate-limits.ts';

const judgement = (agent: string, rates: readonly Rate[]): Judgement =>
  ({
    policyHash: '',
    decision: { action: 'allow', rule: 'r', reason: '', rates },
    cleared: { subject: { agent: { name: agent } } },
  }) as unknown as Judgement;

test('a rate holds over any stretch of its length, for each agent by itself', () => {
  let now = 0;
  const applyRates = createRateLimits(() => now);
  const rate = { rule: 'r', most: 2, perMs: 1000 };
  const at = (time: number, agent = 'a') => {
    now = time;
    return applyRates(judgement(agent, [rate])).decision;
  };
  expect([at(0), at(900), at(950), at(960, 'b')].map(({ action }) => action)).toEqual([
    ...['allow', 'allow', 'deny', 'allow'],
  ]);
  expect(at(999)).toMatchObject({ code: 'rate-limit', rule: 'r' });
  expect([at(1000), at(1001), at(1900)].map(({ action }) => action)).toEqual(['allow', 'deny', 'allow']);
});

test('what one rate refuses counts for none', () => {
  const applyRates = createRateLimits(() => 0);
  const [tight, wide] = [
    { rule: 'tight', most: 1, perMs: 1000 },
    { rule: 'wide', most: 2, perMs: 1000 },
  ];
  expect(applyRates(judgement('a', [tight, wide])).decision.action).toBe('allow');
  for (let index = 0; index < 5; index += 1) applyRates(judgement('a', [tight, wide]));
  expect(applyRates(judgement('a', [wide])).decision.action).toBe('allow');
  expect(applyRates(judgement('a', [wide])).decision.action).toBe('deny');
});
