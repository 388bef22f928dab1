import { knownTools, type Origin } from '../arguments/tools/known-tools.ts';
import { helpToolName } from '../help-tool.ts';
import type { CommandFacts, Decision, Policy } from '../policy.ts';
import { locateCwd } from '../request/normalize-cwd.ts';
import { hasEffect } from '../without-effect.ts';
import { decide } from './decide.ts';

export interface Explanation {
  readonly decision: Decision;
  /** The line of the rule that decided. */
  readonly line?: number;
  readonly argv: readonly string[];
  /** Normalised if possible. */
  readonly cwd: string;
  /** Absent if denied. */
  readonly timeoutMs?: number;
  readonly approvalExpiresMs: number;
  readonly policyHash: string;
  /** If the reason is how the tool reads its arguments; absent if the tool is not known. */
  readonly known?: Origin;
}

/** The answer of a gateway with this policy, and the rule's place in the file. */
export function explainCommand(policy: Policy, facts: CommandFacts): Explanation {
  const place = facts.tool === helpToolName ? facts : locateCwd(policy, facts.cwd);
  const decision = place === undefined ? outside(policy) : decide(policy, { ...facts, cwd: place.cwd });
  const line = policy.rules.find(({ name }) => name === decision.rule)?.line;
  const known = (policy.known ?? knownTools).originOf(facts.tool);
  const timeoutMs = timeoutOf(decision);
  return {
    decision,
    ...(line === undefined ? {} : { line }),
    argv: [facts.tool, ...facts.args],
    cwd: place?.cwd ?? facts.cwd,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    approvalExpiresMs: policy.approvalExpiresMs,
    policyHash: policy.hash,
    ...(known === undefined ? {} : { known }),
  };
}

function timeoutOf({ action, tool, timeoutMs }: Decision): number | undefined {
  if (action === 'deny' || (tool !== undefined && !hasEffect('timeout', tool.strategy))) return undefined;
  return timeoutMs ?? tool?.timeoutMs;
}

function outside({ roots }: Policy): Decision {
  const reason = `the working directory is not inside ${roots.join(' or ')}`;
  return { action: 'deny', rule: 'cwd-outside', reason, code: 'cwd-outside' };
}
