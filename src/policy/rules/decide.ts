import { mostWrappers, seeThrough } from '../arguments/see-through.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { helpDecision, helpToolName } from '../help-tool.ts';
import type { CommandFacts, Decision, Policy, ToolDefinition } from '../policy.ts';
import { isToolName } from '../request/tool-name.ts';
import { mirrorTool } from '../tool-defaults.ts';
import { LegacyLine } from '../version-0/legacy-line.ts';
import type { LineFacts } from './command-line.ts';
import { decideByRules, type Judging, type PlacedArgs, type Ruling } from './decide-by-rules.ts';
import { ForbiddenCharacters, forbiddenFor } from './forbidden-characters.ts';
import { withinWrapper } from './judge-wrapped.ts';
import { indexRules } from './rule-index.ts';
import { withoutRule } from './without-rule.ts';
import { Work } from './work.ts';

/**
 * Pure, and takes time in proportion to the arguments, however many rules there are. Version 1: deny beats ask beats
 * allow, whatever the order of the rules. Version 0: the first rule that matches.
 */
export function decide(policy: Policy, facts: CommandFacts): Decision {
  if (facts.tool === helpToolName) return helpDecision;
  const tool = toolOf(policy, facts.tool);
  if (tool === undefined) return unknownTool;
  if (policy.version === 0) return decideByFirst(policy, facts, tool);
  const index = policy.index?.rules === policy.rules ? policy.index : indexRules(policy.rules);
  const { decision } = rule(
    { policy, index, work: new Work(index.words), known: policy.known ?? knownTools },
    facts,
    { all: facts.args, from: 0 },
    tool,
    mostWrappers,
  );
  return policy.mode === 'shadow' ? shadowed(decision, tool) : decision;
}

const unknownTool: Decision = {
  action: 'deny',
  rule: 'tool-unknown',
  reason: 'the policy defines no tool of this name',
  code: 'tool-unknown',
};

function toolOf(policy: Policy, name: string): ToolDefinition | undefined {
  if (!isToolName(name)) return undefined;
  return policy.tools.get(name) ?? (policy.version === 0 ? mirrorTool(name, policy.timeoutMs) : undefined);
}

/** The rules' decision on it, compared with the decision on what it would run besides itself. */
function rule(
  judging: Judging,
  facts: LineFacts,
  args: PlacedArgs,
  tool: ToolDefinition,
  depth: number,
): Ruling {
  const own = decideByRules(judging, facts, args, tool);
  if (own.decision.action === 'deny') return own;
  const inner = seeThrough(facts.tool, args.all, args.from);
  if (inner === undefined) return own;
  return withinWrapper(own, inner, (command) => {
    const innerTool = depth === 0 ? undefined : toolOf(judging.policy, command.tool);
    if (innerTool === undefined) return unknownTool;
    const place = { all: command.args, from: command.from };
    return rule(judging, { ...facts, tool: command.tool }, place, innerTool, depth - 1).decision;
  });
}

/** Everything runs that can run; the record says what the decision would have been. */
function shadowed(decision: Decision, tool: ToolDefinition): Decision {
  if (decision.action === 'allow') return decision;
  const would = decision.action === 'ask' ? 'would be asked' : 'would be denied';
  const { rule: name, reason } = decision;
  return {
    action: 'allow',
    rule: name,
    reason: `shadow mode: ${would}: ${reason}`,
    tool: decision.tool ?? tool,
  };
}

const tooLong = 'the arguments are too long to be held against this rule';

function decideByFirst(policy: Policy & { version: 0 }, facts: CommandFacts, tool: ToolDefinition): Decision {
  const character = new ForbiddenCharacters(tool.forbidden).nameOfFirstAmong(facts.args);
  if (character !== '') return forbiddenFor(tool, character);
  const line = new LegacyLine(facts);
  const first = policy.rules.find((one) => line.fits(one) ?? true);
  if (first === undefined) return withoutRule(policy, tool);
  const { action, name, reason, timeoutMs } = first;
  if (line.fits(first) === undefined)
    return { action: 'deny', rule: name, reason: tooLong, code: 'denied-by-rule' };
  return {
    ...{ action, rule: name, reason },
    ...(action === 'deny' ? { code: 'denied-by-rule' as const } : { tool }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
