import { agents } from './agents/agents.tsx';
import { audit } from './audit/audit.tsx';
import { hosts } from './hosts/hosts.tsx';
import type { Room } from './room.ts';
import { policy } from './rules/policy.tsx';
import { waiting } from './waiting/waiting.tsx';

/** In the order of the navigation. */
export const rooms: readonly Room[] = [waiting, agents, hosts, policy, audit];
