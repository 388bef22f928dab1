import { isDeepStrictEqual } from 'node:util';
import type { Command, Identity } from '../../../src/command.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { Plan as WirePlan } from '../../../src/gen/clawrden/v1/execution.ts';
import { type Plan, planHash } from '../../../src/plan.ts';
import { normalizeCwd } from '../../../src/policy/request/normalize-cwd.ts';

/** What the shim asked for, and as whom. */
export interface Asked {
  readonly agent: string;
  readonly identity: Identity;
  readonly command: Command;
}

/**
 * The plan that the gateway wants to run or inspect here. Throws `internal` if it is not this command's: its hash,
 * agent, ids or strategy do not match, or it says anything else than the shim did. The policy may take variables
 * away, and the gateway writes the working directory without `.`, `..` and needless slashes.
 */
export function readMirrorPlan({ hash, canonicalJson }: WirePlan, asked: Asked): Plan {
  if (planHash(canonicalJson) !== hash) throw notOurs('its hash is another');
  const plan = JSON.parse(canonicalJson) as Plan;
  const fault = subjectFault(plan, asked) ?? commandFault(plan, asked.command);
  if (fault !== undefined) throw notOurs(fault);
  return plan;
}

function subjectFault({ strategy, agent, uid, gid }: Plan, asked: Asked): string | undefined {
  if (strategy !== 'mirror') return `its strategy is ${strategy}`;
  if (agent !== asked.agent) return `it is for agent ${agent}`;
  return uid === asked.identity.uid && gid === asked.identity.gid ? undefined : `it is for ${uid}:${gid}`;
}

function commandFault(plan: Plan, { tool, args, cwd, env, umask }: Command): string | undefined {
  if (!isDeepStrictEqual(plan.argv, [tool, ...args])) return 'its arguments are others';
  if (plan.cwd !== normalizeCwd(cwd, '/')) return 'its working directory is another';
  if (plan.umask !== umask) return 'its umask is another';
  const sent = new Set(env);
  return plan.env.every((entry) => sent.has(entry)) ? undefined : 'it has variables that were not sent';
}

function notOurs(why: string): ClawrdenError {
  return new ClawrdenError('internal', `the gateway sent a plan that is not this command's: ${why}`);
}
