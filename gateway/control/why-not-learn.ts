import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { nearestHint } from '../../src/config/nearest.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { whyNoLearning } from '../judging/why-no-learning.ts';
import type { LiveConfig } from '../live-config/reload-config.ts';
import type { WantedLearning } from '../ports/learning.ts';
import type { AgentStates } from './agent-states.ts';

export interface LearnerParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly policy: () => Policy;
  readonly egress: LiveConfig['egress'];
  readonly states: Pick<AgentStates, 'refusal'>;
}

/** As things are now; empty if it may be. What rules set for single commands is looked at with each of them. */
export function whyNotLearn(
  { agent, tool }: Pick<WantedLearning, 'agent' | 'tool'>,
  { agents, policy, egress, states }: LearnerParts,
): string {
  const [known, { tools }] = [agents(), policy()];
  if (!known.has(agent))
    return `there is no agent "${agent}"${nearestHint(agent, [...known.keys()], 'agent')}`;
  const defined = tools.get(tool);
  if (defined === undefined)
    return `nothing defines the tool "${tool}"${nearestHint(tool, [...tools.keys()], 'tool')}`;
  const stopped = states.refusal(agent)?.message;
  if (stopped !== undefined) return stopped;
  const { proxy, routes } = egress();
  if (proxy !== undefined) return 'egress.proxy is set, so the gateway cannot see which addresses are public';
  const given = defined.reach.routes.flatMap((name) => routes.get(name) ?? []);
  const why = whyNoLearning(defined, given);
  return why === '' ? '' : `${tool}: ${why}`;
}
