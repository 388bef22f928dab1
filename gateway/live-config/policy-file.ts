import { ConfigError } from '../../src/config/config-error.ts';
import { readTextFile } from '../../src/config/read-text-file.ts';
import type { Faults } from '../../src/faults.ts';
import type { Assignment } from '../../src/policy/assignment.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { changesOf } from './change-text.ts';
import { createPolicyParts, type PolicyParts, type PolicySources, type Whole } from './policy-parts.ts';
import { toolSources } from './tool-sources.ts';
import { type Found, watchFile } from './watch-file.ts';
import { type FoundFolder, readFolder, watchFolder } from './watch-folder.ts';

/** The policy in force, and its files. */
export interface PolicyFile {
  /** May change between two calls: a decision reads it once. */
  readonly current: () => Policy;
  /** The whole of the policy in force. */
  readonly text: () => string;
  /** Empty, or why the present policy.yaml is not in force; then the last good one is. */
  readonly problem: () => string;
  /** Why tool files are not in force as they are now, one line for each fault. */
  readonly toolProblems: () => readonly string[];
  readonly assignments: () => readonly Assignment[];
  /** Gives `around` the policy with the next assignments; it is in force once `apply` was called. Rejects as `around` does. */
  readonly assign: (
    next: (now: readonly Assignment[]) => readonly Assignment[],
    around: (policy: Policy, apply: () => void) => Promise<void>,
  ) => Promise<void>;
  /** From now on a change of a file comes into force, until `signal` aborts. */
  readonly follow: (events: PolicyFileEvents, signal: AbortSignal) => void;
}

export interface PolicyFileEvents {
  /** Awaited before `policy` comes into force; if it rejects, the old policy stays. */
  readonly beforeChange: (policy: Policy, change: string) => Promise<void>;
  readonly changed: (policy: Policy) => void;
  /** Called once for every new fault; `what` is not in force. */
  readonly refused: (problem: string, what: string) => void;
  readonly faults: Pick<Faults, 'report'>;
}

/** Throws ConfigError if the file is not a policy now, or if the folder cannot be read. Later faults are only told. */
export function openPolicyFile(file: string, folder?: string): PolicyFile {
  const parts = createPolicyParts(file, readSources(file, folder));
  const problems: Problems = { policy: '', tools: '', told: '' };
  let changed = (_policy: Policy) => {};
  return {
    current: () => parts.whole().policy,
    text: () => parts.whole().text,
    problem: () => problems.policy,
    toolProblems: () => toolProblemsOf(problems, parts),
    assignments: () => parts.sources().assignments,
    assign: (next, around) =>
      parts.change(
        (now) => ({ ...now, assignments: next(now.assignments) }),
        ({ policy }, apply) =>
          around(policy, () => {
            apply();
            changed(policy);
          }),
      ),
    follow: (events, signal) => {
      ({ changed } = events);
      const follower = createFollower(parts, problems, events);
      void watchFile(file, follower.takePolicy, events.faults, signal);
      const { tools } = parts.sources();
      if (folder === undefined || tools === undefined) return;
      follower.tellTools();
      const start = new Map([...tools].map(([name, { found }]) => [name, found]));
      const take = (found: FoundFolder) => follower.takeTools(folder, found);
      void watchFolder(folder, start, take, events.faults, signal);
    },
  };
}

interface Problems {
  policy: string;
  /** Of the folder as a whole. */
  tools: string;
  /** Of tool files, told last. */
  told: string;
}

function readSources(file: string, folder: string | undefined): PolicySources {
  const text = readTextFile(file);
  if (folder === undefined) return { text, assignments: [] };
  const { files = new Map(), fault } = readFolder(folder);
  if (fault !== '') throw new ConfigError([`tool-files: ${fault}`]);
  return { text, tools: toolSources(folder, files), assignments: [] };
}

function toolProblemsOf({ tools }: Problems, parts: PolicyParts): readonly string[] {
  return [...(tools === '' ? [] : [tools]), ...parts.toolProblems()];
}

function createFollower(parts: PolicyParts, problems: Problems, events: PolicyFileEvents) {
  function tellPolicy(problem: string): void {
    if (problem !== '' && problem !== problems.policy) events.refused(problem, 'the policy file');
    problems.policy = problem;
  }

  function tellTools(): void {
    const problem = describe(toolProblemsOf(problems, parts));
    if (problem !== '' && problem !== problems.told) events.refused(problem, 'a tool file');
    problems.told = problem;
  }

  /** Resolves with why it could not be recorded, or with nothing. */
  async function change(next: Partial<PolicySources>): Promise<string> {
    let unrecorded = '';
    await parts.change(
      (now) => ({ ...now, ...next }),
      async (whole, apply) => {
        const isOther = whole.policy.hash !== parts.whole().policy.hash;
        if (isOther) unrecorded = await faultOf(events.beforeChange(whole.policy, changeTo(whole, parts)));
        if (unrecorded !== '') return;
        apply();
        if (isOther) events.changed(whole.policy);
      },
    );
    return unrecorded;
  }

  return {
    tellTools,
    /** False if the change could not be recorded. */
    takePolicy: async (found: Found): Promise<boolean> => {
      try {
        const problem = 'fault' in found ? found.fault : await change({ text: found.text });
        tellPolicy(problem);
        tellTools();
        return 'fault' in found || problem === '';
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        tellPolicy(describe(error.problems));
        return true;
      }
    },
    /** What nobody knows is as it was. False if the change could not be recorded. */
    takeTools: async (folder: string, { files, fault }: FoundFolder): Promise<boolean> => {
      const { tools: before } = parts.sources();
      const unrecorded =
        files === undefined ? '' : await change({ tools: toolSources(folder, files, before) });
      problems.tools = unrecorded === '' ? fault : unrecorded;
      tellTools();
      return unrecorded === '';
    },
  };
}

function changeTo({ toolFiles }: Whole, parts: PolicyParts): string {
  const short = ({ name, front }: Whole['toolFiles'][number]) => ({ name, front });
  return changesOf('tool files', parts.whole().toolFiles.map(short), toolFiles.map(short));
}

async function faultOf(recorded: Promise<void>): Promise<string> {
  try {
    await recorded;
    return '';
  } catch (error) {
    return `a new policy cannot be recorded: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function describe([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} (and ${more.length} more)`;
}
