import { setTimeout as sleep } from 'node:timers/promises';
import { ClawrdenError } from '../src/errors.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { type Caller, callerName } from './caller.ts';
import type { Execution } from './execution.ts';
import type { Ledger } from './ledger.ts';
import type { Database } from './store/database.ts';
import type { AgentState, Halt } from './warden-view.ts';

/** Stops work without the grace that a cancel gives: the tool gets no TERM. */
export class Halted extends ClawrdenError {
  override name = 'Halted';
}

/** Pause, kill and lockdown. A state is on the disk before it is answered, and holds until a person lifts it. */
export interface KillSwitch {
  /** The refusal for new work of this agent, or `undefined`. */
  readonly refusal: (agent: string) => ClawrdenError | undefined;
  /** The agent's own state; a lockdown is apart. */
  readonly stateOf: (agent: string) => AgentState;
  readonly locked: () => boolean;
  readonly set: (agent: string, state: AgentState, by: Caller, reason: string) => Promise<Halt>;
  readonly lockdown: (on: boolean, by: Caller, reason: string) => Promise<Halt>;
}

export interface KillSwitchParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly ledger: Ledger;
  /** Tells every relay what its agents should be now. */
  readonly tellRelays: () => void;
  /** By agent, for those that are concerned: resolves when its relay says that nothing of it runs any more. */
  readonly relaysHalted: (concerned: (agent: string) => boolean) => ReadonlyMap<string, Promise<unknown>>;
}

/** Where the lockdown is kept, beside the agents. */
const everyAgent = '';
const confirmWithinMs = 2_000;

export async function openKillSwitch(parts: KillSwitchParts): Promise<KillSwitch> {
  const { database, audit } = parts;
  const rows = await database.selectFrom('agent_states').selectAll().execute();
  const states = new Map(rows.map((row) => [row.agent, row.state as AgentState]));
  const stateOf = (agent: string) => states.get(agent) ?? 'active';

  async function change(agent: string, state: AgentState, by: Caller, reason: string): Promise<Halt> {
    // Refused from now on; what follows only makes it last and says so.
    states.set(agent, state);
    const halting = state === 'active' ? parts.tellRelays() : halt(parts, agent, state, callerName(by));
    const row = { agent, state, set_by: callerName(by), reason, set_at: Date.now() };
    await database
      .insertInto('agent_states')
      .values(row)
      .onConflict((conflict) => conflict.column('agent').doUpdateSet(row))
      .execute();
    const subject = agent === everyAgent ? 'every agent' : agent;
    await audit.append({ type: 'control', agent: subject, state, by: callerName(by), reason });
    return (await halting) ?? { stopped: 0, unconfirmed: [] };
  }

  return {
    refusal: (agent) => refusalFor(stateOf(agent), states.get(everyAgent) === 'paused', agent),
    stateOf,
    locked: () => states.get(everyAgent) === 'paused',
    set: change,
    lockdown: (on, by, reason) => change(everyAgent, on ? 'paused' : 'active', by, reason),
  };
}

function refusalFor(state: AgentState, locked: boolean, agent: string): ClawrdenError | undefined {
  if (state === 'killed')
    return new ClawrdenError('agent-killed', `${agent} was killed; an operator can resume it`);
  if (state === 'paused')
    return new ClawrdenError('agent-paused', `${agent} is paused; an operator can resume it`);
  return locked ? new ClawrdenError('agent-paused', 'everything is locked down by an operator') : undefined;
}

/** Stops what the agent has open, and waits until it is gone or 2 s are over. */
async function halt(parts: KillSwitchParts, agent: string, state: AgentState, by: string): Promise<Halt> {
  const concerned = (name: string) => agent === everyAgent || name === agent;
  const open = parts.ledger.executions().filter(({ record }) => concerned(record.agent));
  const reason = new Halted('canceled', `${state} by ${by}`);
  for (const execution of open) execution.stop(reason);
  parts.tellRelays();
  const waits = new Map(open.map((execution) => [nameOf(execution), execution.cleared]));
  for (const [name, halted] of parts.relaysHalted(concerned)) waits.set(name, halted);
  const unconfirmed = await stillWaiting(waits);
  return {
    stopped: open.filter((execution) => !unconfirmed.includes(nameOf(execution))).length,
    unconfirmed,
  };
}

function nameOf({ record }: Execution): string {
  return `${record.id} on ${record.host || 'its agent host'}`;
}

/** The names of those that have not resolved after 2 s. */
async function stillWaiting(waits: ReadonlyMap<string, Promise<unknown>>): Promise<string[]> {
  const left = new Set(waits.keys());
  const all = [...waits].map(([name, wait]) => wait.then(() => left.delete(name)));
  const done = new AbortController();
  const late = sleep(confirmWithinMs, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([Promise.all(all), late]);
  done.abort();
  return [...left];
}
