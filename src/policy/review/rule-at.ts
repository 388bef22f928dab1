import type { RuleEffect } from '../policy.ts';

/** How `policy check` names a rule. */
export function ruleAt(rule: RuleEffect): string {
  return `rule ${placedName(rule)}`;
}

/** One that an admin assigned is in no line. */
export function placedName({ name, line }: RuleEffect): string {
  return line === 0 ? name : `${name} (line ${line})`;
}
