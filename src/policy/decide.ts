import { hasFlag, mayHaveFlag } from './flags.ts';
import { matchesLegacyGlob } from './legacy-glob.ts';
import { matchesArgs, mayMatchArgs } from './match-args.ts';
import type {
  Action,
  CommandFacts,
  Decision,
  LegacyRule,
  Policy,
  Rule,
  RuleEffect,
  ToolDefinition,
} from './policy.ts';
import { mirrorTool } from './tool-defaults.ts';
import { isToolName } from './tool-name.ts';

/**
 * Pure, and in proportion to the size of the arguments. Version 1: deny beats ask beats allow, whatever the order of
 * the rules. Version 0: the first rule that matches.
 */
export function decide(policy: Policy, facts: CommandFacts): Decision {
  const tool = isToolName(facts.tool) ? toolOf(policy, facts.tool) : undefined;
  if (tool === undefined) return unknownTool;
  if (policy.version === 0) {
    const first = policy.rules.find((rule) => matchesLegacyRule(rule, facts));
    return byRules(first === undefined ? [] : [first], tool) ?? withoutRule(policy, tool);
  }
  return decideByStrictest(policy.rules, facts, tool, withoutRule(policy, tool));
}

const unknownTool: Decision = {
  action: 'deny',
  rule: 'tool-unknown',
  reason: 'the policy defines no tool of this name',
  code: 'tool-unknown',
};

function toolOf(policy: Policy, name: string): ToolDefinition | undefined {
  return policy.tools.get(name) ?? (policy.version === 0 ? mirrorTool(name, policy.timeoutMs) : undefined);
}

function decideByStrictest(
  rules: readonly Rule[],
  facts: CommandFacts,
  tool: ToolDefinition,
  fallback: Decision,
): Decision {
  const concerned = rules.filter((rule) => concerns(rule, facts));
  const find = (action: Action, matches: (rule: Rule, args: readonly string[]) => boolean) =>
    byRules(
      concerned.filter((rule) => rule.action === action && matches(rule, facts.args)),
      tool,
    );
  const decision =
    find('deny', mayMatch) ?? find('ask', matchesExactly) ?? find('allow', matchesExactly) ?? fallback;
  // What would run unasked is held against the questions once more, as generously as against the denials.
  return decision.action === 'allow' ? (find('ask', mayMatch) ?? decision) : decision;
}

function concerns(rule: Rule, { tool, uid, agent }: CommandFacts): boolean {
  return (
    (rule.tools?.has(tool) ?? true) && (rule.uids?.has(uid) ?? true) && (rule.agents?.has(agent) ?? true)
  );
}

function matchesExactly({ args, flags }: Rule, given: readonly string[]): boolean {
  return (
    (args === undefined || matchesArgs(args, given)) && (flags?.some((flag) => hasFlag(flag, given)) ?? true)
  );
}

function mayMatch({ args, flags }: Rule, given: readonly string[]): boolean {
  return (
    (args === undefined || mayMatchArgs(args, given)) &&
    (flags?.some((flag) => mayHaveFlag(flag, given)) ?? true)
  );
}

function matchesLegacyRule(rule: LegacyRule, facts: CommandFacts): boolean {
  if (!matchesLegacyGlob(rule.command, facts.tool)) return false;
  if (rule.substrings.length === 0) return true;
  const line = facts.args.join(' ');
  return rule.substrings.some((part) => line.includes(part));
}

/** The rules all have one action; the shortest of their timeouts holds, so that their order does not matter. */
function byRules(rules: readonly RuleEffect[], tool: ToolDefinition): Decision | undefined {
  const [first] = rules;
  if (first === undefined) return undefined;
  const timeouts = rules.flatMap(({ timeoutMs }) => timeoutMs ?? []);
  return {
    action: first.action,
    rule: first.name,
    reason: first.reason,
    ...(first.action === 'deny' ? { code: 'denied-by-rule' as const } : { tool }),
    ...(timeouts.length === 0 ? {} : { timeoutMs: Math.min(...timeouts) }),
  };
}

function withoutRule(policy: Policy, tool: ToolDefinition): Decision {
  const action = tool.otherwise ?? policy.defaultAction;
  return {
    action,
    rule: tool.otherwise === undefined ? 'default' : 'otherwise',
    reason: `no rule of the policy is about this ${tool.name} command`,
    ...(action === 'deny' ? { code: 'denied-by-default' as const } : { tool }),
  };
}
