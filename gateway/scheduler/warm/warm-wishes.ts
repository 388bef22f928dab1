import type { Command } from '../../../src/command.ts';
import type { AgentConfig, GatewayConfig } from '../../../src/config/gateway-config.ts';
import { noReach } from '../../../src/egress/reach.ts';
import type { Policy, ToolDefinition } from '../../../src/policy/policy.ts';
import { sealPlan } from '../../judging/seal-plan.ts';
import type { ImageFacts } from '../../ports/engine.ts';
import { followingOf } from '../../workspaces/home-of.ts';
import { shapeKey, shapeOf } from './ghost-shape.ts';
import type { WarmWish } from './warm-pools.ts';

/** The pools that `warm` of gateway.yaml asks for under a policy, without those whose image no host has. */
export async function warmWishes(
  { warm, agents }: Pick<GatewayConfig, 'warm' | 'agents'>,
  policy: Policy,
  resolveImage: (reference: string, labels: AgentConfig['hosts']) => Promise<ImageFacts>,
): Promise<WarmWish[]> {
  const wishes = warm.map(async ({ agent: name, tool: toolName, size }) => {
    const agent = agents.find((other) => other.name === name);
    const tool = policy.tools.get(toolName);
    if (agent === undefined || tool?.strategy !== 'ghost' || tool.image === undefined) return [];
    // It runs in no ghost.
    if (tool.isolation === 'session') return [];
    const image = await resolveImage(tool.image, agent.hosts).catch(() => undefined);
    return image === undefined ? [] : [{ ...wishFor(agent, tool, policy, image), size }];
  });
  return (await Promise.all(wishes)).flat();
}

/** Built from a plan, so that it matches the plans of commands. */
function wishFor(
  agent: AgentConfig,
  tool: ToolDefinition,
  policy: Policy,
  image: ImageFacts,
): Omit<WarmWish, 'size'> {
  const command: Command = { ...anyCommand, tool: tool.name, cwd: policy.workspace };
  const cleared = { subject: { agent, identity: agent.users[0] }, command, root: policy.workspace };
  const timeoutMs = longestTimeout(tool, policy);
  // Nothing that goes by name is a part of a container.
  const plain = { ...tool, reach: noReach };
  const parts = {
    policy,
    tool: plain,
    cleared,
    timeoutMs,
    image,
    routes: new Map(),
    learnsOf: () => undefined,
  };
  const { plan } = sealPlan({ ...parts, strategy: 'ghost' });
  const shape = shapeOf(plan, followingOf(agent));
  return { shape, key: shapeKey(shape), labels: agent.hosts, timeoutMs };
}

const anyCommand = {
  args: [],
  env: [],
  umask: 0o22,
  stdio: ['null', 'null', 'null'],
  ignored: [],
  version: 1,
} as const;

/** The longest of the tool's own and of the rules that may allow it; 0 means no limit. */
function longestTimeout(tool: ToolDefinition, policy: Policy): number {
  const rules = policy.version === 1 ? policy.rules : [];
  const concerned = rules.filter(({ tools }) => tools === undefined || tools.has(tool.name));
  const all = [tool.timeoutMs, ...concerned.flatMap(({ timeoutMs }) => timeoutMs ?? [])];
  return all.includes(0) ? 0 : Math.max(...all);
}
