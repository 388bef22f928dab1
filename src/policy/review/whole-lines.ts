import type { Policy, Rule } from '../policy.ts';
import { meet } from './meet.ts';
import { ruleAt } from './rule-at.ts';

/** Strict rules whose args say the whole line: with one more word it passes. One line each. */
export function findWholeLines({ rules }: Policy & { version: 1 }): string[] {
  const allows = rules.filter(({ action }) => action === 'allow');
  return rules
    .filter(
      (rule) =>
        isWhole(rule) && (rule.action === 'deny' || allows.some((one) => meet(one.tools, rule.tools))),
    )
    .map(
      (rule) =>
        `${ruleAt(rule)}: args are the whole line, so with one more word it passes: end them with "**"`,
    );
}

function isWhole({ action, args }: Rule): boolean {
  return action !== 'allow' && args !== undefined && args.items.length > 0 && args.items.at(-1) !== '**';
}
