import type { Action, LegacyRule, Policy, Rule, RuleEffect, ToolDefinition } from '../policy.ts';
import { matchesLegacyGlob } from '../version-0/legacy-glob.ts';
import { isAboutAll } from './match-rule.ts';

/** An agent, as far as rules look at who asks. */
export interface Asker {
  readonly agent: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly uids: readonly number[];
}

/** What a policy says about a tool as a whole, before there is a command. */
export interface ToolOutlook {
  /** All that a command of it may come to, the best first. */
  readonly may: readonly [Action, ...Action[]];
  /** That are about it and its asker, in their order. */
  readonly rules: readonly RuleEffect[];
}

/**
 * What may become of this tool's commands: `deny` only if no command of it is let run or asked about. Without an asker
 * it is what may become of the command of any agent.
 */
export function outlookOf(policy: Policy, tool: ToolDefinition, asker?: Asker): ToolOutlook {
  const outlook = policy.version === 0 ? legacyOutlook(policy, tool) : presentOutlook(policy, tool, asker);
  return policy.mode === 'shadow' ? { ...outlook, may: ['allow'] } : outlook;
}

function presentOutlook(
  policy: Policy & { version: 1 },
  tool: ToolDefinition,
  asker: Asker | undefined,
): ToolOutlook {
  const rules = policy.rules.filter(
    (rule) => (rule.tools?.has(tool.name) ?? true) && mayConcern(rule, asker),
  );
  // Deny beats ask beats allow, whatever the order.
  const whole = rules.filter((rule) => coversAll(rule, asker)).map(({ action }) => action);
  if (whole.includes('deny')) return { may: ['deny'], rules };
  const rest = whole.length > 0 ? [] : [tool.otherwise ?? policy.defaultAction];
  const all = [...rules.map(({ action }) => action), ...rest];
  return { may: inOrder(whole.includes('ask') ? all.filter((action) => action !== 'allow') : all), rules };
}

function mayConcern({ agents, labels, uids }: Rule, asker: Asker | undefined): boolean {
  if (asker === undefined) return true;
  return (
    (agents?.has(asker.agent) ?? true) &&
    (labels?.every(([name, value]) => asker.labels[name] === value) ?? true) &&
    (uids === undefined || asker.uids.some((uid) => uids.has(uid)))
  );
}

/** Every command of the tool is among the rule's. */
function coversAll(rule: Rule, asker: Asker | undefined): boolean {
  const { agents, labels, uids, cwd } = rule;
  if (!isAboutAll(rule) || cwd !== undefined) return false;
  if (asker === undefined) return agents === undefined && labels === undefined && uids === undefined;
  return uids === undefined || asker.uids.every((uid) => uids.has(uid));
}

/** The first rule that matches: what stands behind one that matches everything counts no more. */
function legacyOutlook(policy: Policy & { version: 0 }, tool: ToolDefinition): ToolOutlook {
  const about = policy.rules.filter(({ command }) => matchesLegacyGlob(command, tool.name));
  const last = about.findIndex(({ substrings }: LegacyRule) => substrings.length === 0);
  const rules = last === -1 ? about : about.slice(0, last + 1);
  const rest = last === -1 ? [tool.otherwise ?? policy.defaultAction] : [];
  return { may: inOrder([...rules.map(({ action }) => action), ...rest]), rules };
}

const byWorth = ['allow', 'ask', 'deny'] as const satisfies readonly Action[];

/** Each once, the best first; `deny` if there are none. */
export function inOrder(actions: readonly Action[]): readonly [Action, ...Action[]] {
  const [best = 'deny', ...others] = byWorth.filter((action) => actions.includes(action));
  return [best, ...others];
}
