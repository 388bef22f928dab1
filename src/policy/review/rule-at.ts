import type { RuleEffect } from '../policy.ts';

/** How `policy check` names a rule. */
export function ruleAt({ name, line }: RuleEffect): string {
  return `rule ${name} (line ${line})`;
}
