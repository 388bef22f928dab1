import { createHash } from 'node:crypto';
import { ConfigError } from '../../src/config/config-error.ts';
import { readTextFile } from '../../src/config/read-text-file.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy, PolicyResult } from '../../src/policy/policy.ts';
import { fileStamp } from './file-stamp.ts';

/** The policy in force, and the file that it comes from. */
export interface PolicyFile {
  /** Changes between two calls when the file does: whoever decides takes it once. */
  readonly current: () => Policy;
  /** Of the policy in force. */
  readonly text: () => string;
  /** Empty, or why the file as it is now is not in force; the last good one is. */
  readonly problem: () => string;
  readonly close: () => void;
}

export interface PolicyFileEvents {
  /** Is waited for before `policy` comes into force; where it rejects, the old one stays. */
  readonly beforeChange: (policy: Policy) => Promise<void>;
  readonly changed: (policy: Policy) => void;
  /** Once for every new fault. */
  readonly refused: (problem: string) => void;
}

/** However a file is replaced, it is looked at so often; a change counts once it has stayed as it is for a while. */
const lookEveryMs = 250;
const settleMs = 200;

/** Throws ConfigError where the file is no policy now. Later it is only reported. */
export function openPolicyFile(file: string, events: PolicyFileEvents): PolicyFile {
  const state = load(file);
  const look = createLook(file, state, events);
  const timer = setInterval(look, lookEveryMs).unref();
  return {
    current: () => state.policy,
    text: () => state.text,
    problem: () => state.problem,
    close: () => clearInterval(timer),
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

function createLook(file: string, state: State, events: PolicyFileEvents): () => void {
  let [seen, since, settled, changing] = ['', 0, state.policy.hash, false];
  let [stamp, touched] = ['', 0];
  return () => {
    if (changing) return;
    const [before, now] = [stamp, performance.now()];
    stamp = fileStamp(file);
    if (stamp !== before) touched = now;
    // What has settled is not read again for nothing.
    else if (seen === settled && now - touched > settleMs) return;
    const found = readOrFault(file);
    const print = 'text' in found ? sha256(found.text) : found.fault;
    if (print !== seen) [seen, since] = [print, now];
    if (print === settled || now - since < settleMs) return;
    settled = print;
    changing = true;
    void takeOver(file, found, state, events).then((took) => {
      changing = false;
      // What could not be recorded is tried again.
      if (!took) settled = '';
    });
  };
}

type Found = { readonly text: string } | { readonly fault: string };

/** False: the change could not be recorded. */
async function takeOver(
  file: string,
  found: Found,
  state: State,
  events: PolicyFileEvents,
): Promise<boolean> {
  const result = parseFound(file, found);
  if ('problems' in result) {
    state.problem = describe(result.problems);
    events.refused(state.problem);
    return true;
  }
  if (result.policy.hash === state.policy.hash) {
    state.problem = '';
    return true;
  }
  try {
    await events.beforeChange(result.policy);
  } catch (error) {
    report(
      state,
      events,
      `a new policy cannot be recorded: ${error instanceof Error ? error.message : String(error)}`,
    );
    return false;
  }
  state.policy = result.policy;
  state.text = 'text' in found ? found.text : '';
  state.problem = '';
  events.changed(result.policy);
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

function readOrFault(file: string): Found {
  try {
    return { text: readTextFile(file) };
  } catch (error) {
    if (error instanceof ConfigError) return { fault: error.problems.join(', ') };
    throw error;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
