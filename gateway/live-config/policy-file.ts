import { ConfigError } from '../../src/config/config-error.ts';
import { readTextFile } from '../../src/config/read-text-file.ts';
import type { Faults } from '../../src/faults.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy, PolicyResult } from '../../src/policy/policy.ts';
import { type Found, watchFile } from './watch-file.ts';

/** The policy in force, and its file. */
export interface PolicyFile {
  /** May change between two calls: a decision reads it once. */
  readonly current: () => Policy;
  /** Of the policy in force. */
  readonly text: () => string;
  /** Empty, or why the present file is not in force; then the last good one is. */
  readonly problem: () => string;
  /** From now on a change of the file comes into force, until `signal` aborts. */
  readonly follow: (events: PolicyFileEvents, signal: AbortSignal) => void;
}

export interface PolicyFileEvents {
  /** Awaited before `policy` comes into force; if it rejects, the old policy stays. */
  readonly beforeChange: (policy: Policy) => Promise<void>;
  readonly changed: (policy: Policy) => void;
  /** Called once for every new fault. */
  readonly refused: (problem: string) => void;
  readonly faults: Pick<Faults, 'report'>;
}

/** Throws ConfigError if the file is not a policy now. Later faults are only reported. */
export function openPolicyFile(file: string): PolicyFile {
  const state = load(file);
  return {
    current: () => state.policy,
    text: () => state.text,
    problem: () => state.problem,
    follow: (events, signal) => {
      const take = (found: Found) => applyFile(file, found, state, events);
      void watchFile(file, take, events.faults, signal);
    },
  };
}

interface State {
  policy: Policy;
  text: string;
  problem: string;
}

function load(file: string): State {
  const text = readTextFile(file);
  const result = parsePolicy(text, file);
  if ('problems' in result) throw new ConfigError(result.problems);
  return { policy: result.policy, text, problem: '' };
}

/** False if the change could not be recorded. */
async function applyFile(
  file: string,
  found: Found,
  state: State,
  events: PolicyFileEvents,
): Promise<boolean> {
  const result = parseFound(file, found);
  if ('problems' in result) {
    report(state, events, describe(result.problems));
    return true;
  }
  const { policy } = result;
  if (policy.hash !== state.policy.hash) {
    try {
      await events.beforeChange(policy);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      report(state, events, `a new policy cannot be recorded: ${why}`);
      return false;
    }
    state.policy = policy;
    state.text = 'text' in found ? found.text : '';
    state.problem = '';
    events.changed(policy);
  }
  state.problem = '';
  return true;
}

function report(state: State, events: PolicyFileEvents, problem: string): void {
  if (state.problem !== problem) events.refused(problem);
  state.problem = problem;
}

function parseFound(file: string, found: Found): PolicyResult {
  if ('fault' in found) return { problems: [found.fault] };
  return parsePolicy(found.text, file);
}

function describe([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} (and ${more.length} more)`;
}
