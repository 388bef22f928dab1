import type { Identity } from '../../../src/command.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { Plan as WirePlan } from '../../../src/gen/clawrden/v1/execution.ts';
import { type Plan, planHash } from '../../../src/plan.ts';

/**
 * The plan that the gateway wants to run or inspect here. Throws `internal` if its hash, agent, ids or strategy do
 * not match this command.
 */
export function readMirrorPlan(
  { hash, canonicalJson }: WirePlan,
  agent: string,
  { uid, gid }: Identity,
): Plan {
  if (planHash(canonicalJson) !== hash) throw notOurs('its hash is another');
  const plan = JSON.parse(canonicalJson) as Plan;
  if (plan.strategy !== 'mirror') throw notOurs(`its strategy is ${plan.strategy}`);
  if (plan.agent !== agent) throw notOurs(`it is for agent ${plan.agent}`);
  if (plan.uid !== uid || plan.gid !== gid) throw notOurs(`it is for ${plan.uid}:${plan.gid}`);
  return plan;
}

function notOurs(why: string): ClawrdenError {
  return new ClawrdenError('internal', `the gateway sent a plan that is not this command's: ${why}`);
}
