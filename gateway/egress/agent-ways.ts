import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { CrumbPace } from '../../src/crumb-budgets.ts';
import { carryConnections } from '../../src/init-client/carry-connections.ts';
import { canonicalJson } from '../../src/plan.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AgentStates } from '../control/agent-states.ts';
import { oncePerSecond } from '../control/incidents.ts';
import { ownReach } from '../judging/own-reach.ts';
import type { Routes } from '../judging/seal-plan.ts';
import type { McpDoor } from '../ports/mcp-door.ts';
import { hasOwnDoor } from '../principals/own-door.ts';
import { type Account, openAccount } from './account.ts';
import type { CreateWayOut } from './open-way-out.ts';
import type { AgentWay, OwnMcp } from './way.ts';

export interface AgentWaysParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly policy: () => Policy;
  readonly routes: () => Routes;
  readonly states: Pick<AgentStates, 'stateOf' | 'locked'>;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly createWayOut: CreateWayOut;
  /** What the small frames of an agent's way out are charged to. */
  readonly paceOf: (agent: string) => CrumbPace;
  readonly log: Logger;
}

/** The ways out of agents themselves: each is a lane from the agent's relay. */
export interface AgentWays {
  /** Takes an agent's lane from its relay, or returns why it is refused. */
  readonly offer: (relay: string, agent: string, lane: Duplex, mcp?: McpDoor) => string | undefined;
  /** Ends those that may not be, or not as they are. To be called after every change of what they depend on. */
  readonly hold: () => void;
  /** A line for each agent that has a network and no way out, whatever its relay does. */
  readonly problems: () => readonly string[];
}

interface Open {
  readonly relay: string;
  /** What was in force when it was opened. */
  readonly reach: string;
  readonly end: (why: string) => void;
}

export function createAgentWays(parts: AgentWaysParts): AgentWays {
  return new Ways(parts);
}

class Ways implements AgentWays {
  readonly #parts: AgentWaysParts;
  readonly #record: (way: AgentWay) => Promise<void>;
  /** A relay may open lanes and break them as fast as it can. */
  readonly #warn = oncePerSecond((text, agent, why) => this.#parts.log.warn({ agent, why }, text));
  readonly #open = new Map<string, Open>();
  /** Of each agent, over all of its lanes. */
  readonly #accounts = new Map<string, Account>();

  constructor(parts: AgentWaysParts) {
    this.#parts = parts;
    this.#record = createReachRecords(parts.audit);
  }

  offer = (relay: string, name: string, lane: Duplex, mcp?: McpDoor): string | undefined => {
    const way = findWay(this.#parts, relay, name);
    if (typeof way === 'string') return way;
    this.#open.get(name)?.end('another way out of this agent has come');
    this.#begin(relay, way, lane, mcp);
    return undefined;
  };

  hold = (): void => {
    for (const [name, { relay, reach, end }] of this.#open) {
      const way = findWay(this.#parts, relay, name);
      if (typeof way === 'string') end(way);
      else if (canonicalJson(way.reach) !== reach) end('what it may reach has changed');
    }
    const agents = this.#parts.agents();
    for (const name of this.#accounts.keys()) if (!agents.has(name)) this.#accounts.delete(name);
  };

  problems = (): readonly string[] => {
    const { agents, policy, routes } = this.#parts;
    return [...agents().values()]
      .map((agent) => ownReach(agent, policy(), routes()))
      .filter((found) => typeof found === 'string');
  };

  #begin(relay: string, way: AgentWay, lane: Duplex, mcp: McpDoor | undefined): void {
    const { agent } = way;
    const stop = new AbortController();
    const end = (why: string) => {
      stop.abort(new Error(why));
      lane.destroy();
    };
    const mine = { relay, reach: canonicalJson(way.reach), end };
    this.#open.set(agent, mine);
    void this.#carry(way, lane, this.#ownMcp(agent, mcp), stop.signal).finally(() => {
      end('its lane has ended');
      if (this.#open.get(agent) === mine) this.#open.delete(agent);
    });
  }

  async #carry(way: AgentWay, lane: Duplex, mcp: OwnMcp, signal: AbortSignal): Promise<void> {
    const { createWayOut, paceOf } = this.#parts;
    const { agent } = way;
    try {
      // What may be reached is on the disk before anything is.
      await this.#record(way);
      const wayOut = createWayOut({ ...way, account: this.#accountOf(agent), mcp, signal });
      await carryConnections(lane, wayOut.serve, paceOf(agent), signal);
    } catch (error) {
      // Of one that was cut off its relay has a line.
      const { name, message } = error as Error;
      const isFault = ['InitFault', 'FrameError', 'ClawrdenError'].includes(name);
      if (isFault) this.#warn('a way out has ended', agent, message);
    }
  }

  #ownMcp(name: string, mcp: McpDoor | undefined): OwnMcp {
    return () => {
      const agent = this.#parts.agents().get(name);
      return agent !== undefined && hasOwnDoor(agent) ? mcp : undefined;
    };
  }

  #accountOf(agent: string): Account {
    const known = this.#accounts.get(agent) ?? openAccount({});
    this.#accounts.set(agent, known);
    return known;
  }
}

/** As it is in force now, or why there is none. */
function findWay(
  { agents, policy, routes, states }: AgentWaysParts,
  relay: string,
  name: string,
): AgentWay | string {
  const agent = agents().get(name);
  const found = agent?.relay === relay ? ownReach(agent, policy(), routes()) : undefined;
  if (found === undefined) return 'this relay keeps no way out of an agent of that name';
  if (typeof found === 'string') return found;
  const isHalted = states.locked() || ['paused', 'killed'].includes(states.stateOf(name));
  return isHalted ? `agent ${name} is halted` : { agent: name, reach: found.reach };
}

/** Records what an agent may reach, once for as long as it stays so. */
function createReachRecords(audit: AgentWaysParts['audit']): (way: AgentWay) => Promise<void> {
  const recorded = new Map<string, string>();
  return async ({ agent, reach }) => {
    const { network, allow, routes } = reach;
    const text = canonicalJson(reach);
    if (recorded.get(agent) === text) return;
    await audit.append({ type: 'way-out', agent, network, allow, routes });
    recorded.set(agent, text);
  };
}
