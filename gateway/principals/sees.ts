import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Principal, Scope } from '../ports/principal.ts';

/**
 * The agents that a principal sees: those of its scope, and if it is an agent, itself. Whatever is no agent's, only a
 * scope of all agents does.
 */
export interface Sees {
  readonly all: boolean;
  readonly agent: (name: string) => boolean;
  /** Undefined if it is all agents, also those that gateway.yaml no longer names. */
  readonly names: () => readonly string[] | undefined;
}

export function isWithin(scope: Scope, { labels }: Pick<AgentConfig, 'labels'>): boolean {
  return Object.entries(scope).every(([key, value]) => labels[key] === value);
}

export function createSees(
  { kind, name: own, scope }: Pick<Principal, 'kind' | 'name' | 'scope'>,
  agents: () => ReadonlyMap<string, Pick<AgentConfig, 'name' | 'labels'>>,
): Sees {
  const isAgent = kind === 'agent';
  if (!isAgent && Object.keys(scope).length === 0)
    return { all: true, agent: () => true, names: () => undefined };
  const within = (name: string): boolean => {
    const agent = agents().get(name);
    return agent !== undefined && isWithin(scope, agent) && (!isAgent || name === own);
  };
  return { all: false, agent: within, names: () => [...agents().keys()].filter(within) };
}
