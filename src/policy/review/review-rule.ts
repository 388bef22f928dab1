import type { Policy } from '../policy.ts';
import { checkPolicy, type PolicyFindings } from './check-policy.ts';
import { ruleAt } from './rule-at.ts';

/** What `policy check` says of one rule of a policy. */
export function reviewRule(policy: Policy & { version: 1 }, name: string): PolicyFindings {
  const rule = policy.rules.find((one) => one.name === name);
  if (rule === undefined) return { errors: [], warnings: [] };
  const stricter = policy.rules.filter((one) => one !== rule && one.action !== 'allow');
  const { errors, warnings } = checkPolicy({ ...policy, warnings: [], rules: [...stricter, rule] });
  const isAbout = (line: string) =>
    line.startsWith(`${ruleAt(rule)} `) || line.startsWith(`${ruleAt(rule)}:`);
  return { errors: errors.filter(isAbout), warnings: warnings.filter(isAbout) };
}
