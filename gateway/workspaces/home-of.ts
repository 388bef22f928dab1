import { createHash } from 'node:crypto';
import type { AgentConfig, SyncConfig, WorkspaceConfig } from '../../src/config/gateway-config.ts';
import { canonicalJson } from '../../src/plan.ts';
import type { ReplicaOf } from '../ports/replica.ts';

/** Where a home is at its relay. */
export type HomePlace = Pick<WorkspaceConfig, 'kind' | 'source'>;

/** Names a home: a folder or volume at a relay. What was of one home is never brought to another. */
export function homeOf(relay: string, { kind, source }: HomePlace): string {
  return createHash('sha256').update([relay, kind, source].join('\0')).digest('hex').slice(0, 16);
}

/** One text for each replica on a host. */
export function keyOf({ agent, home }: ReplicaOf): string {
  return `${agent}\0${home}`;
}

/** The same over all hosts. */
export function keyOn(host: string, of: ReplicaOf): string {
  return `${host}\0${keyOf(of)}`;
}

/** The home that replicas of the agent follow now; `undefined` if there is none. */
export function homeNow(agents: ReadonlyMap<string, AgentConfig>, agent: string): string | undefined {
  const known = agents.get(agent);
  return known?.workspace?.sync && homeOf(known.relay, known.workspace);
}

/**
 * Says which home replicas follow, and which hosts see it; `undefined` if none does. What was started under one text mounts
 * another folder than what is started under another.
 */
export function followingOf(known: AgentConfig | undefined): string | undefined {
  return (
    known?.workspace?.sync &&
    canonicalJson([homeOf(known.relay, known.workspace), known.workspace.sync.seenBy])
  );
}

/** How a home is followed; `undefined` if it is not, or if the agent has another one now. */
export function syncOf(
  agents: ReadonlyMap<string, AgentConfig>,
  { agent, home }: ReplicaOf,
): SyncConfig | undefined {
  return homeNow(agents, agent) === home ? agents.get(agent)?.workspace?.sync : undefined;
}
