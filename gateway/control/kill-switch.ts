import { setTimeout as sleep } from 'node:timers/promises';
import { ClawrdenError } from '../../src/errors.ts';
import { createInTurn, type InTurn } from '../../src/in-turn.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Execution, Halted } from '../execution/execution.ts';
import type { Ledger } from '../execution/ledger.ts';
import type { AgentState, AgentStatus, Halt } from '../ports/agent-state.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import {
  type AgentStates,
  breakerPrefix,
  everyAgent,
  everyAgentRecorded,
  strictness,
} from './agent-states.ts';
import { faultOfKeeping, type LastingChange, loosen } from './lasting-change.ts';
import { createVanishedMirrors, type MayRun } from './vanished-mirrors.ts';

/** A breaker's request to stop an agent. */
export interface Tripped {
  readonly breaker: string;
  readonly state: 'refused' | 'paused';
  readonly reason: string;
}

/**
 * Pause, kill, lockdown, and stops by breakers. A state is on the disk before it is answered, and holds until a
 * person lifts it.
 */
export interface KillSwitch {
  /** Rejects a pause of an agent that is killed. */
  readonly set: (agent: string, state: AgentState, by: Principal, reason: string) => Promise<Halt>;
  readonly lockdown: (on: boolean, by: Principal, reason: string) => Promise<Halt>;
  /** In force at once, unless the agent is already stopped as strictly. */
  readonly trip: (agent: string, tripped: Tripped) => void;
  /** A mirrored command's relay has vanished: for a while its agent is not confirmed to be stopped. */
  readonly relayVanished: (execution: ExecutionRecord) => void;
}

export interface KillSwitchParts {
  readonly states: AgentStates;
  readonly audit: AuditLog;
  readonly ledger: Ledger;
  /** Sends the relay of this agent the state that its agents should have; every relay, if it is every agent. */
  readonly tellRelays: (agent: string) => void;
  /** Executions that have ended here but may still run on their host, because the host was lost or did not answer. */
  readonly lost: () => readonly MayRun[];
  /** Docker hosts where this gateway has not removed yet what an earlier one may have left. */
  readonly uncleanedHosts: () => readonly string[];
  /** Ends the sessions of each concerned agent. */
  readonly sessionsEnded: (concerned: (agent: string) => boolean) => readonly AwaitedEnd[];
  /** One for each concerned agent: over when its relay reports that nothing of it runs any more. */
  readonly relaysHalted: (concerned: (agent: string) => boolean) => readonly AwaitedEnd[];
}

/** What a pause or a kill waits for. */
export interface AwaitedEnd {
  /** As people read it, if it is not over in time. */
  readonly name: () => string;
  readonly over: Promise<unknown>;
}

const confirmWithinMs = 2_000;

export function createKillSwitch(parts: KillSwitchParts): KillSwitch {
  const { states } = parts;
  const vanished = createVanishedMirrors();
  const lost = () => [...parts.lost(), ...vanished.running()];

  /** The disk and the audit get the states in the order in which they came. */
  const inTurn = createInTurn();

  const { relax, stays } = createRelaxing(parts, inTurn);

  async function change(agent: string, state: AgentState, by: string, reason: string): Promise<Halt> {
    const before = states.stopOf(agent);
    if (state === 'paused' && before?.state === 'killed')
      throw (await stays(agent, before)) ?? isKilled(agent);
    const status = { state, by, reason, since: Date.now() };
    const isLooser = strictness[state] < strictness[states.stateOf(agent)];
    if (isLooser) await relax(agent, status);
    // Refused from now on; the rest only makes it last and reports it.
    else states.enforce(agent, status);
    const halting =
      strictness[state] < strictness.paused
        ? parts.tellRelays(agent)
        : halt({ ...parts, lost }, agent, state, by);
    const fault = isLooser ? undefined : await inTurn(() => faultOfKeeping(placesOf(parts, agent, status)));
    const halted = await halting;
    if (fault !== undefined) throw fault;
    return halted ?? { stopped: 0, unconfirmed: [] };
  }

  return {
    set: (agent, state, by, reason) => change(agent, state, principalName(by), reason),
    lockdown: (on, by, reason) => change(everyAgent, on ? 'paused' : 'active', principalName(by), reason),
    trip: (agent, { breaker, state, reason }) => {
      if (strictness[state] <= strictness[states.stateOf(agent)]) return;
      // It holds as long as this gateway lives. If it was not recorded, the audit's health says so.
      change(agent, state, `${breakerPrefix}${breaker}`, reason).catch(() => {});
    },
    relayVanished: vanished.add,
  };
}

/** Less strict states on their way to the disk and the audit, where they are before they are in force. */
function createRelaxing(parts: KillSwitchParts, inTurn: InTurn) {
  const { states } = parts;
  const underWay: string[] = [];

  /** Not in force if somebody stopped the agent once more since this was called. */
  async function relax(agent: string, status: AgentStatus): Promise<void> {
    const before = states.stopOf(agent);
    // Another one that was under way may have lifted it.
    const isStill = () => [before, undefined].includes(states.stopOf(agent));
    let isLifted = false;
    const apply = () => {
      isLifted = isStill();
      if (isLifted) states.enforce(agent, status);
    };
    const { record: recordStay } = placesOf(parts, agent, before ?? status);
    underWay.push(agent);
    try {
      await inTurn(async () => {
        if (isStill()) await loosen({ apply, recordStay, ...placesOf(parts, agent, status) });
      });
    } finally {
      underWay.splice(underWay.indexOf(agent), 1);
    }
    if (!isLifted) throw new ClawrdenError('agent-paused', 'it was stopped once more meanwhile');
  }

  /** Somebody means the agent to stay as it is: nothing that is under way lifts it. Resolves with why that may not last. */
  async function stays(agent: string, status: AgentStatus): Promise<ClawrdenError | undefined> {
    if (!underWay.includes(agent)) return undefined;
    const again = { ...status };
    states.enforce(agent, again);
    return inTurn(() => faultOfKeeping(placesOf(parts, agent, again)));
  }

  return { relax, stays };
}

/** A person who pauses means to stop: it never makes a kill less strict. */
function isKilled(agent: string): ClawrdenError {
  return new ClawrdenError('agent-killed', `nothing has changed: ${agent} is killed, which is stricter`);
}

/** To the disk, where it survives this gateway, and to the audit. */
function placesOf(
  { states, audit }: KillSwitchParts,
  name: string,
  status: AgentStatus,
): Omit<LastingChange, 'apply' | 'recordStay'> {
  const { state, by, reason } = status;
  const agent = name === everyAgent ? everyAgentRecorded : name;
  return {
    keep: () => states.keep(name, status),
    record: () => audit.append({ type: 'control', agent, state, by, reason }),
    unkept: audit.unkept,
  };
}

/** Stops the agent's open executions, and waits until they are gone or 2 s are over. */
async function halt(parts: KillSwitchParts, agent: string, state: AgentState, by: string): Promise<Halt> {
  const concerned = (name: string) => agent === everyAgent || name === agent;
  const ofThem = (all: Execution[]) => all.filter(({ record }) => concerned(record.agent));
  const open = ofThem(parts.ledger.executions());
  const reason = new Halted('canceled', `${state} by ${by}`);
  for (const execution of open) execution.stop(reason);
  parts.tellRelays(agent);
  const left = [...open, ...ofThem(parts.ledger.clearing())];
  const own = left.map((execution) => ({ name: () => nameOf(execution), over: execution.cleared }));
  const sessions = parts.sessionsEnded(concerned);
  const waiting = await stillWaiting([...own, ...sessions, ...parts.relaysHalted(concerned)]);
  const lost = parts.lost().filter((record) => concerned(record.agent));
  const hosts = parts.uncleanedHosts().map((host) => `what an earlier gateway left on ${host}`);
  const unconfirmed = [...new Set([...waiting, ...lost.map(nameOfRecord), ...hosts])];
  return {
    stopped: open.filter((execution) => !unconfirmed.includes(nameOf(execution))).length,
    unconfirmed,
  };
}

function nameOf({ record }: Execution): string {
  return nameOfRecord(record);
}

function nameOfRecord({ id, host }: MayRun): string {
  return `${id} on ${host || 'its agent host'}`;
}

/** The names of those that have not resolved after 2 s. */
async function stillWaiting(waits: readonly AwaitedEnd[]): Promise<string[]> {
  const left = new Set(waits);
  const all = waits.map((wait) => wait.over.then(() => left.delete(wait)));
  const done = new AbortController();
  const late = sleep(confirmWithinMs, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([Promise.all(all), late]);
  done.abort();
  return [...left].map(({ name }) => name());
}
