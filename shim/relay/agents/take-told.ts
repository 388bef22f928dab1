import type { HomeWorkspace } from '../../../src/config/gateway-config.ts';
import { checkHome, checkTold, type ToldAgent } from '../../../src/config/told-agents.ts';
import type { AgentState } from '../../../src/gen/clawrden/v1/relay.ts';
import { homeOfMessage } from '../../../src/wire/home-message.ts';
import { notKept } from '../workspace/not-kept.ts';

export interface TakenAgents {
  readonly agents: readonly ToldAgent[];
  /** Agents whose workspace cannot be as it was told, with the reason. They are served without it. */
  readonly unkept: ReadonlyMap<string, string>;
  /** A line about each agent that cannot be as it was told. */
  readonly faults: readonly string[];
}

const most = 1000;

/** Checks what a gateway says. An older gateway names no users: those that were accepted before stay accepted. */
export function takeTold(states: readonly AgentState[], before: readonly ToldAgent[]): TakenAgents {
  const agents = new Map<string, ToldAgent>();
  const unkept = new Map<string, string>();
  const faults: string[] = [];
  for (const state of states.slice(0, most)) {
    const told = takeAgent(state, before);
    if (typeof told === 'string') faults.push(`the gateway told of an agent that cannot be: ${told}`);
    if (typeof told !== 'object') continue;
    const workspace = takeWorkspace(state);
    agents.set(told.name, typeof workspace === 'object' ? { ...told, workspace } : told);
    if (typeof workspace === 'string') unkept.set(told.name, workspace);
    else unkept.delete(told.name);
  }
  if (states.length > most) faults.push(`the gateway told of more than ${most} agents`);
  return { agents: [...agents.values()], unkept, faults };
}

function takeAgent(
  { name, users, paused, killed, wayOut }: AgentState,
  before: readonly ToldAgent[],
): ToldAgent | string | undefined {
  const ids = users.length > 0 ? users : (before.find((agent) => agent.name === name)?.users ?? []);
  const halt = killed ? 'killed' : paused ? 'paused' : undefined;
  return ids.length === 0 ? undefined : checkTold(name, ids, halt, wayOut);
}

function takeWorkspace({ workspace }: AgentState): HomeWorkspace | string | undefined {
  const home = workspace && checkHome(homeOfMessage(workspace));
  return typeof home === 'string' ? notKept(home) : home;
}
