import { knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy, Rule } from '../policy.ts';
import { ruleAt } from './rule-at.ts';

/** Strict rules about a goal that hold only if it is the first one: make makes it behind others, too. */
export function findGoalsBehind({ rules, tools, known = knownTools }: Policy & { version: 1 }): string[] {
  return rules.flatMap((rule) => {
    const tool = [...(rule.tools ?? tools.keys())].find((one) => known.get(one)?.operandsAreGoals === true);
    if (tool === undefined || !isAboutFirst(rule)) return [];
    return [
      `${ruleAt(rule)}: args are about the first goal, so "${tool} all GOAL" passes: begin them with "**", too`,
    ];
  });
}

function isAboutFirst({ action, args }: Rule): boolean {
  const [first] = args?.items ?? [];
  return action !== 'allow' && first !== undefined && first !== '**';
}
