import { ClawrdenError } from '../../src/errors.ts';
import type { Rate } from '../../src/policy/policy.ts';
import { SlidingWindow } from '../../src/sliding-window.ts';
import type { Judgement } from './judge.ts';

/** Compares an allowed judgement with the rates of its rules: returns the same judgement, or a denial. */
export type ApplyRates = (judgement: Judgement) => Judgement;

const maxKept = 10_000;

/**
 * Counts by rule and agent, over every interval of a rate's length. If one rate refuses a command, the command counts
 * for no rate. Keeps at most as many times as a rate allows, and only for rules that were used within that length.
 */
export function createRateLimits(now: () => number = () => performance.now()): ApplyRates {
  const used = new Map<string, Uses>();
  return (judgement) => {
    const { rates = [] } = judgement.decision;
    if (rates.length === 0 || judgement.cleared === undefined) return judgement;
    const agent = judgement.cleared.subject.agent?.name ?? '';
    const at = now();
    if (used.size > maxKept) forgetUnused(used, at);
    const uses = rates.map((rate) => ({ rate, of: usesOf(used, `${agent} ${rate.rule}`) }));
    const full = uses.find(({ rate, of }) => of.within(rate.perMs, at).length >= rate.most);
    if (full !== undefined) return refused(judgement, full.rate);
    for (const { rate, of } of uses) of.add({ at }, rate.most);
    return judgement;
  };
}

type Uses = SlidingWindow<{ readonly at: number }>;

function usesOf(used: Map<string, Uses>, key: string): Uses {
  const uses = used.get(key) ?? new SlidingWindow();
  used.set(key, uses);
  return uses;
}

const longestMs = 86_400_000;

function forgetUnused(used: Map<string, Uses>, at: number): void {
  for (const [key, uses] of used) if (uses.within(longestMs, at).length === 0) used.delete(key);
}

function refused(judgement: Judgement, { rule, most, perMs }: Rate): Judgement {
  const { code, message } = new ClawrdenError(
    'rate-limit',
    `the rule ${rule} lets ${most} through in ${perMs / 1000} s, and so many did; wait and try again`,
  );
  return { ...judgement, decision: { action: 'deny', rule, reason: message, code } };
}
