import { ClawrdenError } from '../../src/errors.ts';
import type { AgentState, AgentStatus } from '../ports/agent-state.ts';
import type { AgentStateRow, Database } from '../store/database.ts';

/** What has stopped each agent, and whether everything is locked down. Survives a restart of the gateway. */
export interface AgentStates {
  /** The refusal for new work of this agent, or `undefined`. */
  readonly refusal: (agent: string) => ClawrdenError | undefined;
  /** The agent's own state, without the lockdown. */
  readonly stateOf: (agent: string) => AgentState;
  /** What has stopped the agent; `undefined` if nothing has. */
  readonly stopOf: (agent: string) => AgentStatus | undefined;
  readonly locked: () => boolean;
  /** In force at once, but only as long as this gateway runs. */
  readonly enforce: (agent: string, status: AgentStatus) => void;
  /** On the disk when it resolves. */
  readonly keep: (agent: string, status: AgentStatus) => Promise<void>;
}

/** A greater number is stricter. */
export const strictness: Readonly<Record<AgentState, number>> = {
  active: 0,
  refused: 1,
  paused: 2,
  killed: 3,
};

/** The name of the lockdown's row, beside the agents' rows. */
export const everyAgent = '';
/** What the audit calls it. */
export const everyAgentRecorded = 'every agent';
/** Stands before a breaker's name in the place of a person's name. */
export const breakerPrefix = 'breaker:';

export async function openAgentStates(database: Database): Promise<AgentStates> {
  const rows = await database.selectFrom('agent_states').selectAll().execute();
  const states = new Map(rows.map((row) => [row.agent, statusOf(row)]));
  const stateOf = (agent: string) => states.get(agent)?.state ?? 'active';
  const locked = () => stateOf(everyAgent) === 'paused';
  return {
    refusal: (agent) => {
      const own = refusalFor(agent, states.get(agent));
      // The strictest: a breaker may only refuse new work.
      return (own === undefined || own.code === 'breaker-open') && locked() ? lockedDown() : own;
    },
    stateOf,
    stopOf: (agent) => (stateOf(agent) === 'active' ? undefined : states.get(agent)),
    locked,
    enforce: (agent, status) => void states.set(agent, status),
    keep: (agent, status) => keepState(database, agent, status),
  };
}

export async function keepState(
  database: Database,
  agent: string,
  { state, by, reason, since }: AgentStatus,
): Promise<void> {
  const row = { agent, state, set_by: by, reason, set_at: since };
  await database
    .insertInto('agent_states')
    .values(row)
    .onConflict((conflict) => conflict.column('agent').doUpdateSet(row))
    .execute();
}

function statusOf({ state, set_by, reason, set_at }: AgentStateRow): AgentStatus {
  // Only `keepState` writes it, from exactly this type.
  return { state: state as AgentState, by: set_by, reason, since: set_at };
}

/** An operator's reason is only recorded; a breaker's reason tells the agent what it did. */
function refusalFor(agent: string, status: AgentStatus | undefined): ClawrdenError | undefined {
  if (status === undefined || status.state === 'active') return undefined;
  if (status.state === 'killed')
    return new ClawrdenError('agent-killed', `${agent} was killed; an operator can resume it`);
  const code = status.state === 'paused' ? 'agent-paused' : 'breaker-open';
  if (!status.by.startsWith(breakerPrefix))
    return new ClawrdenError(code, `${agent} is paused; an operator can resume it`);
  const name = status.by.slice(breakerPrefix.length);
  const advice = `stop, and let a person look at it; an operator lifts the stop with: clawrden resume ${agent}`;
  return new ClawrdenError(code, `the breaker ${name} stopped ${agent}: ${status.reason}; ${advice}`);
}

function lockedDown(): ClawrdenError {
  return new ClawrdenError('agent-paused', 'everything is locked down by an operator');
}
