import { agents } from './agents/agents.tsx';
import { audit } from './audit/audit.tsx';
import { history } from './history/history.tsx';
import { hosts } from './hosts/hosts.tsx';
import { live } from './live/live.tsx';
import type { Room } from './room.ts';
import { policy } from './rules/policy.tsx';
import { waiting } from './waiting/waiting.tsx';

/** In the order of the navigation. */
export const rooms: readonly Room[] = [waiting, live, history, agents, hosts, policy, audit];
