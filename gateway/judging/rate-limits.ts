import { ClawrdenError } from '../../src/errors.ts';
import type { Rate } from '../../src/policy/policy.ts';
import type { Judgement } from './judge.ts';

/** Compares an allowed judgement with the rates of its rules: returns the same judgement, or a denial. */
export type HoldRates = (judgement: Judgement) => Judgement;

const maxKept = 10_000;

/**
 * Counts by rule and agent, over every interval of a rate's length. If one rate refuses a command, the command counts
 * for no rate. Keeps at most as many times as a rate allows, and only for rules that were used within that length.
 */
export function createRateLimits(now: () => number = () => performance.now()): HoldRates {
  const used = new Map<string, number[]>();
  return (judgement) => {
    const { rates = [] } = judgement.decision;
    if (rates.length === 0 || judgement.cleared === undefined) return judgement;
    const agent = judgement.cleared.subject.agent?.name ?? '';
    const at = now();
    if (used.size > maxKept) forgetUnused(used, at);
    const counts = rates.map((rate) => ({ rate, times: recent(used, agent, rate, at) }));
    const full = counts.find(({ rate, times }) => times.length >= rate.most);
    if (full !== undefined) return refused(judgement, full.rate);
    for (const { times } of counts) times.push(at);
    return judgement;
  };
}

function recent(used: Map<string, number[]>, agent: string, { rule, perMs }: Rate, at: number): number[] {
  const key = `${agent} ${rule}`;
  const times = (used.get(key) ?? []).filter((time) => at - time < perMs);
  used.set(key, times);
  return times;
}

const longestMs = 86_400_000;

function forgetUnused(used: Map<string, number[]>, at: number): void {
  for (const [key, times] of used) if (at - (times.at(-1) ?? 0) >= longestMs) used.delete(key);
}

function refused(judgement: Judgement, { rule, most, perMs }: Rate): Judgement {
  const { code, message } = new ClawrdenError(
    'rate-limit',
    `the rule ${rule} lets ${most} through in ${perMs / 1000} s, and so many did; wait and try again`,
  );
  return { ...judgement, decision: { action: 'deny', rule, reason: message, code } };
}
