import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Principal, Scope } from '../ports/principal.ts';

/**
 * The agents that a principal sees: those of its scopes, and if it is an agent, itself. Whatever is no agent's, only a
 * scope of all agents does.
 */
export interface Sees {
  readonly all: boolean;
  readonly agent: (name: string) => boolean;
  /** Undefined if it is all agents, also those that gateway.yaml no longer names. */
  readonly names: () => readonly string[] | undefined;
}

type Caller = Pick<Principal, 'kind' | 'name' | 'scope' | 'also'>;

/** Whether one of its scopes holds an agent with these labels. */
export function isWithin(
  caller: Pick<Caller, 'scope' | 'also'>,
  { labels }: Pick<AgentConfig, 'labels'>,
): boolean {
  const has = (scope: Scope) => Object.entries(scope).every(([key, value]) => labels[key] === value);
  return scopesOf(caller).some(has);
}

/** Whether one of its scopes is all agents. */
export function isOfAll(caller: Pick<Caller, 'scope' | 'also'>): boolean {
  return scopesOf(caller).some((scope) => Object.keys(scope).length === 0);
}

export function createSees(
  caller: Caller,
  agents: () => ReadonlyMap<string, Pick<AgentConfig, 'name' | 'labels'>>,
): Sees {
  const isAgent = caller.kind === 'agent';
  if (!isAgent && isOfAll(caller)) return { all: true, agent: () => true, names: () => undefined };
  const within = (name: string): boolean => {
    const agent = agents().get(name);
    return agent !== undefined && isWithin(caller, agent) && (!isAgent || name === caller.name);
  };
  return { all: false, agent: within, names: () => [...agents().keys()].filter(within) };
}

function scopesOf({ scope, also = [] }: Pick<Caller, 'scope' | 'also'>): readonly Scope[] {
  return [scope, ...also.map((right) => right.scope)];
}
