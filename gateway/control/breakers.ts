import { createHash } from 'node:crypto';
import { type ClawrdenError, isErrorCode } from '../../src/errors.ts';
import { exitCodes } from '../../src/exit-codes.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Breaker, Policy } from '../../src/policy/policy.ts';
import { SlidingWindow } from '../../src/sliding-window.ts';
import { type Cleared, denialFor, type Judgement } from '../judging/judge.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { Tripped } from './kill-switch.ts';

/** Counts what each agent does, and stops the agent if a breaker of the policy says so. */
export interface Breakers {
  /** Counts a command: returns the same judgement, or a denial if the command trips a breaker. */
  readonly apply: (judgement: Judgement) => Judgement;
  /** Counts a request that was refused as invalid, by agent (empty: no agent) and reason code. */
  readonly refused: (agent: string, code: string | undefined) => void;
  /** Counts the end of a command that was allowed or asked about. */
  readonly ended: (record: ExecutionRecord, outcome: Outcome) => void;
  /** A person has looked: counting begins again. */
  readonly reset: (agent: string) => void;
}

export interface BreakerParts {
  readonly policy: () => Policy;
  /** Stops an agent from now on, unless it is already stopped more strictly. */
  readonly trip: (agent: string, tripped: Tripped) => void;
  /** The refusal for new work of a stopped agent. */
  readonly halted: (agent: string) => ClawrdenError | undefined;
  readonly now?: () => number;
}

/** A stopped agent does not become more stopped when it asks again. */
const ofStopped: ReadonlySet<string> = new Set(['agent-paused', 'agent-killed', 'breaker-open']);

/** What an agent did recently: as much as the breakers of the policy in force need. */
interface Seen {
  last: string;
  repeats: number;
  failures: number;
  /** By breaker: when its newest commands came. */
  commands: ReadonlyMap<string, SlidingWindow<{ readonly at: number }>>;
}

/**
 * Counts only agents of gateway.yaml, each separately. A restart begins to count again; a tripped breaker stays
 * tripped.
 */
export function createBreakers({
  policy,
  trip,
  halted,
  now = () => performance.now(),
}: BreakerParts): Breakers {
  const seen = new Map<string, Seen>();

  function seenOf(agent: string): Seen {
    const known = seen.get(agent) ?? { last: '', repeats: 0, failures: 0, commands: new Map() };
    seen.set(agent, known);
    return known;
  }

  /** The strictest breaker that is tripped, if any. */
  function check(agent: string, breakers: readonly Breaker[]): boolean {
    const tripped = breakers.filter((breaker) => isTripped(breaker, seenOf(agent)));
    const breaker = tripped.find(({ action }) => action === 'pause') ?? tripped[0];
    if (breaker === undefined) return false;
    trip(agent, trippedBy(breaker));
    return true;
  }

  return {
    apply: (judgement) => {
      const { cleared, decision } = judgement;
      const agent = cleared?.subject.agent?.name;
      if (cleared === undefined || agent === undefined) return judgement;
      const breakers = breakersOf(policy(), agent);
      if (breakers.length === 0) return judgement;
      count(seenOf(agent), cleared, breakers, now());
      if (decision.action === 'deny') seenOf(agent).failures += 1;
      const refusal = check(agent, breakers) ? halted(agent) : undefined;
      return refusal === undefined ? judgement : { ...judgement, decision: denialFor(refusal) };
    },
    refused: (agent, code = '') => {
      if (agent === '' || ofStopped.has(code)) return;
      const breakers = breakersOf(policy(), agent);
      if (breakers.length === 0) return;
      countRates(seenOf(agent), breakers, now());
      if (isErrorCode(code) && exitCodes[code] !== 125) seenOf(agent).failures += 1;
      check(agent, breakers);
    },
    ended: ({ agent, decision }, outcome) => {
      // A denied command was counted when it came.
      if (agent === '' || (decision !== 'allow' && decision !== 'ask')) return;
      const breakers = breakersOf(policy(), agent).filter(({ trips }) => trips.on === 'failures');
      const failed = hasFailed(outcome);
      if (breakers.length === 0 || failed === undefined) return;
      const known = seenOf(agent);
      known.failures = failed ? known.failures + 1 : 0;
      check(agent, breakers);
    },
    reset: (agent) => void seen.delete(agent),
  };
}

function breakersOf({ breakers, mode }: Policy, agent: string): readonly Breaker[] {
  return mode === 'shadow' ? [] : breakers.filter(({ agents }) => agents?.has(agent) ?? true);
}

function count(seen: Seen, { command, subject }: Cleared, breakers: readonly Breaker[], at: number): void {
  if (breakers.some(({ trips }) => trips.on === 'repeats')) {
    const { tool, args, cwd } = command;
    const what = JSON.stringify([tool, args, cwd, subject.identity]);
    // Only the hash is kept, because a command may be long.
    const digest = createHash('sha256').update(what).digest('base64');
    seen.repeats = digest === seen.last ? seen.repeats + 1 : 1;
    seen.last = digest;
  }
  countRates(seen, breakers, at);
}

function countRates(seen: Seen, breakers: readonly Breaker[], at: number): void {
  const rates = breakers.flatMap(({ name, trips }) => (trips.on === 'rate' ? [{ name, ...trips }] : []));
  // One more than the rate allows is enough to decide.
  const known = seen.commands;
  seen.commands = new Map(rates.map(({ name }) => [name, known.get(name) ?? new SlidingWindow()]));
  for (const { name, most } of rates) seen.commands.get(name)?.add({ at }, most + 1);
}

function isTripped({ name, trips }: Breaker, seen: Seen): boolean {
  if (trips.on !== 'rate') return seen[trips.on] >= trips.most;
  const newest = seen.commands.get(name)?.within(trips.perMs) ?? [];
  return newest.length > trips.most;
}

/**
 * `undefined` if the end says nothing about the agent: a person, the caller or Clawrden ended it, or nobody sees its
 * end.
 */
function hasFailed(outcome: Outcome): boolean | undefined {
  if (outcome.kind === 'exited') return outcome.code !== 0 || outcome.signal !== 0;
  if (outcome.kind === 'started' || outcome.kind === 'interrupted') return undefined;
  return exitCodes[outcome.reason] === 125 ? undefined : true;
}

function trippedBy({ name, trips, action, reason }: Breaker): Tripped {
  const why = reason === undefined ? whatHappened(trips) : `${whatHappened(trips)} (${reason})`;
  return { breaker: name, state: action === 'pause' ? 'paused' : 'refused', reason: why };
}

function whatHappened(trips: Breaker['trips']): string {
  switch (trips.on) {
    case 'repeats':
      return `the same command ${trips.most} times in a row`;
    case 'failures':
      return `${trips.most} failures in a row`;
    case 'rate':
      return `more than ${trips.most} commands in ${trips.perMs / 1000} s`;
  }
}
