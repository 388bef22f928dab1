import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy, Rule, ToolDefinition } from '../policy.ts';
import type { Glob } from '../rules/glob.ts';
import { isAboutAll } from '../rules/match-rule.ts';
import { meet } from './meet.ts';
import { placedName, ruleAt } from './rule-at.ts';

/** Rules that deny a part of a tool of which everything else is allowed: one line each (ADR 0155). */
export function findWeakDenials(policy: Policy & { version: 1 }): string[] {
  return policy.rules
    .filter((rule) => rule.action === 'deny' && !isAboutAll(rule))
    .flatMap((rule) => {
      const named = [...policy.tools.values()].filter(({ name }) => rule.tools?.has(name) ?? true);
      const found = named.flatMap((tool) => {
        const opener = whatOpens(tool, rule, policy);
        return opener === undefined ? [] : [{ tool: tool.name, opener }];
      });
      return found
        .slice(0, 1)
        .map(
          ({ tool, opener }) =>
            `${ruleAt(rule)} denies a part of ${tool}, and ${opener} allows all the rest: an agent that looks for another way to the same may find one; allow the lines that are needed, by subcommands or args`,
        );
    });
}

function whatOpens(tool: ToolDefinition, denial: Rule, policy: Policy & { version: 1 }): string | undefined {
  const { rules, defaultAction, known = knownTools } = policy;
  const wide = rules.find((rule) => allowsAll(rule, tool.name, known) && mayMeet(rule, denial));
  if (wide !== undefined) return placedName(wide);
  if ((tool.otherwise ?? defaultAction) !== 'allow') return undefined;
  return tool.otherwise === undefined ? 'default: allow' : `tools.${tool.name}.otherwise`;
}

/** It leaves out no line of the tool, or none but the shortest, or those with an option that is not harmless. */
function allowsAll(
  { action, tools, args, subcommands, safeArguments }: Rule,
  tool: string,
  known: KnownTools,
) {
  if (action !== 'allow' || tools?.has(tool) !== true || subcommands !== undefined) return false;
  // Of a tool without sub-commands each option is known to do no more than the tool is for.
  if (safeArguments === true && known.get(tool)?.subcommands === undefined) return false;
  if (args === undefined) return true;
  return args.items.includes('**') && args.items.every((item) => item === '**' || item.some(isAnything));
}

function isAnything(alternative: Glob[number]): boolean {
  return alternative.length > 1 && alternative.every((piece) => piece === '');
}

/** False only if no agent or user is of both. */
function mayMeet(one: Rule, other: Rule): boolean {
  return meet(one.agents, other.agents) && meet(one.uids, other.uids);
}
