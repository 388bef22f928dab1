import { knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy, Rule } from '../policy.ts';
import { ruleAt } from './rule-at.ts';

/** Strict rules whose args name an option of a tool that is not known: its other spellings are not. */
export function findUnreadOptions({ rules, tools, known = knownTools }: Policy & { version: 1 }): string[] {
  return rules.flatMap((rule) => {
    const option = optionIn(rule);
    if (rule.action === 'allow' || option === undefined) return [];
    const unknown = [...(rule.tools ?? tools.keys())].find((tool) => !known.has(tool));
    return unknown === undefined ? [] : [warning(rule, option, unknown)];
  });
}

function warning(rule: Rule, option: string, tool: string): string {
  return `${ruleAt(rule)}: args compare "${option}" as it is written, because the options of ${tool} are not known: name it by flags: ["${option}"], which also sees its other spellings`;
}

function optionIn({ args }: Rule): string | undefined {
  const [first] = args?.options.filter(({ isBare }) => !isBare) ?? [];
  return first?.words[0];
}
