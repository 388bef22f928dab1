import { type CommandLine, concerns, matchesExactly, mayMatch, readCommand } from './match-rule.ts';
import type { Action, CommandFacts, Decision, Policy, Rule, ToolDefinition } from './policy.ts';
import { withOverrides } from './run-overrides.ts';
import { withoutRule } from './without-rule.ts';

/** A decision, and the rules that made it: all of one action, none where no rule is about the command. */
export interface Ruling {
  readonly decision: Decision;
  readonly rules: readonly Rule[];
}

/** Deny beats ask beats allow. What would run unasked is held against the questions as generously as against the denials. */
export function decideByRules(
  policy: Policy & { version: 1 },
  facts: CommandFacts,
  tool: ToolDefinition,
): Ruling {
  if (hasForbidden(tool, facts.args)) return { decision: forbidden, rules: [] };
  const line = readCommand(facts);
  const concerned = byAction(policy.rules.filter((rule) => concerns(rule, facts)));
  const find = (action: Action, matches: (rule: Rule, line: CommandLine) => boolean) =>
    ruled(
      concerned[action].filter((rule) => matches(rule, line)),
      tool,
    );
  const ruling = find('deny', mayMatch) ??
    find('ask', matchesExactly) ??
    find('allow', matchesExactly) ?? { decision: withoutRule(policy, tool), rules: [] };
  return ruling.decision.action === 'allow' ? (find('ask', mayMatch) ?? ruling) : ruling;
}

function byAction(rules: readonly Rule[]): Readonly<Record<Action, readonly Rule[]>> {
  const sorted: Record<Action, Rule[]> = { deny: [], ask: [], allow: [] };
  for (const rule of rules) sorted[rule.action].push(rule);
  return sorted;
}

const forbidden: Decision = {
  action: 'deny',
  rule: 'forbid-characters',
  reason: 'an argument has a character that the policy forbids for this tool',
  code: 'denied-by-rule',
};

function hasForbidden({ forbidden: characters }: ToolDefinition, args: readonly string[]): boolean {
  if (characters === '') return false;
  const set = new Set(characters);
  return args.some((arg) => {
    for (const character of arg) if (set.has(character)) return true;
    return false;
  });
}

/** The rules all have one action. */
function ruled(rules: readonly Rule[], tool: ToolDefinition): Ruling | undefined {
  const [first] = rules;
  if (first === undefined) return undefined;
  const { action, name, reason, instead } = first;
  const said = { action, rule: name, reason, ...(instead === undefined ? {} : { instead }) };
  if (action === 'deny') return { decision: { ...said, code: 'denied-by-rule' }, rules };
  const effective = withOverrides(tool, rules);
  return {
    decision: effective === undefined ? conflict(rules) : { ...said, ...effectsOf(rules), tool: effective },
    rules,
  };
}

function effectsOf(rules: readonly Rule[]): Pick<Decision, 'timeoutMs' | 'rates'> {
  const timeouts = rules.flatMap(({ timeoutMs }) => timeoutMs ?? []);
  const rates = rules.flatMap(({ rate }) => rate ?? []);
  return {
    ...(timeouts.length === 0 ? {} : { timeoutMs: Math.min(...timeouts) }),
    ...(rates.length === 0 ? {} : { rates }),
  };
}

function conflict(rules: readonly Rule[]): Decision {
  const names = rules.filter(({ overrides }) => overrides !== undefined).map(({ name }) => name);
  const reason = `the rules ${names.toSorted().join(', ')} each say where it runs, and not the same`;
  return { action: 'deny', rule: 'conflict', reason, code: 'denied-by-rule' };
}
