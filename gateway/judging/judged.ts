import { ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import type { Decision, Policy } from '../../src/policy/policy.ts';
import { denialText } from '../../src/policy/rules/denial-text.ts';
import type { Judgement } from './judge.ts';
import { type PlanSources, type SealedPlan, sealJudged } from './seal-plan.ts';

/** A judgement with what follows from it: the plan, or the refusal. */
export type Judged = Judgement & (Planned | Refused);

interface Planned {
  readonly sealed: SealedPlan;
  readonly refusal?: undefined;
}

interface Refused {
  readonly sealed?: undefined;
  readonly refusal: ClawrdenError;
}

/** Never rejects: a denial is refused, and so is a command that no plan can be made for (`image-missing`, `route-missing`). */
export async function planned(judgement: Judgement, policy: Policy, sources: PlanSources): Promise<Judged> {
  const { decision } = judgement;
  if (decision.action === 'deny') return { ...judgement, refusal: denialOf(decision) };
  try {
    return { ...judgement, sealed: await sealJudged(judgement, policy, sources) };
  } catch (error) {
    return { ...judgement, refusal: toClawrdenError(error) };
  }
}

export function denialOf(decision: Decision): ClawrdenError {
  return new ClawrdenError(decision.code ?? 'denied-by-rule', denialText(decision));
}
