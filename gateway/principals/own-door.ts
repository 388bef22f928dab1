import type { AgentConfig } from '../../src/config/gateway-config.ts';

/**
 * Whether an agent may ask by its own way out as itself, without a token: it has one, and is one user, so only that user
 * asks there.
 */
export function hasOwnDoor({ network, users }: Pick<AgentConfig, 'network' | 'users'>): boolean {
  return network !== undefined && users.length === 1;
}
