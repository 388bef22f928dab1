import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { knownTools, tellOrigin } from '../../src/policy/arguments/tools/known-tools.ts';
import { networkName, routesOf } from '../../src/policy/network-name.ts';
import type { Policy, RuleEffect, ToolDefinition } from '../../src/policy/policy.ts';
import { type Asker, inOrder, outlookOf } from '../../src/policy/rules/may-run.ts';
import type { ToolView } from '../ports/tool-view.ts';

/**
 * The policy's tools, and what it says about each of them as a whole. Of several agents: those that at least one of
 * them may use, and only rules that are about one of them.
 */
export function toolViews(
  policy: Policy,
  agents: ReadonlyMap<string, AgentConfig>,
  only: readonly string[] | undefined,
): ToolView[] {
  const askers = only?.flatMap((name) => askerOf(agents.get(name)));
  return [...policy.tools.values()].flatMap((tool) => {
    const view = toolView(policy, tool, askers);
    return askers !== undefined && view.best === 'deny' ? [] : [view];
  });
}

function askerOf(agent: AgentConfig | undefined): Asker[] {
  if (agent === undefined) return [];
  const { name, labels, users } = agent;
  return [{ agent: name, labels, uids: users.map(({ uid }) => uid) }];
}

function toolView(policy: Policy, tool: ToolDefinition, askers: readonly Asker[] | undefined): ToolView {
  const outlooks = (askers ?? [undefined]).map((asker) => outlookOf(policy, tool, asker));
  const may = inOrder(outlooks.flatMap((outlook) => outlook.may));
  const about = new Set<RuleEffect>(outlooks.flatMap(({ rules }) => rules));
  const { name, strategy, image = '', isolation, reach, workspace, stdin, timeoutMs, otherwise } = tool;
  const { description = '', documentation = '' } = policy.pages?.get(name) ?? {};
  return {
    ...{ name, strategy, image, isolation, network: networkName(tool), workspace, stdin, timeoutMs },
    reaches: [...reach.allow.map(({ to }) => to), ...routesOf(tool).map((route) => `route ${route}`)],
    otherwise: otherwise ?? policy.defaultAction,
    ...{ best: may[0], may },
    known: tellOrigin((policy.known ?? knownTools).originOf(name)),
    ...{ description, documentation },
    rules: policy.rules.filter((rule) => about.has(rule)).map(toRuleView),
  };
}

function toRuleView(rule: RuleEffect & { readonly instead?: string }): ToolView['rules'][number] {
  const { name, action, reason, instead = '' } = rule;
  return { name, action, reason, instead };
}
