import { ConfigError } from '../../src/config/config-error.ts';
import { createInTurn } from '../../src/in-turn.ts';
import type { Assignment } from '../../src/policy/assignment.ts';
import { type Composed, composePolicy } from '../../src/policy/file/compose-policy.ts';
import type { ToolFile } from '../../src/policy/file/tool-file.ts';
import { candidatesOf, faultsOf, type ToolSources } from './tool-sources.ts';

/** What a policy is made of. */
export interface PolicySources {
  /** Of policy.yaml. */
  readonly text: string;
  /** Absent if there is no folder of tool files. */
  readonly tools?: ToolSources;
  readonly assignments: readonly Assignment[];
}

export type Whole = Extract<Composed, { readonly policy: object }>;

/** The sources that count, and the policy that they make. */
export interface PolicyParts {
  readonly sources: () => PolicySources;
  readonly whole: () => Whole;
  /** Why tool files are not in force as they are now, one line for each fault. */
  readonly toolProblems: () => readonly string[];
  /**
   * Gives `around` what would be in force; it is once `apply` was called. Rejects with ConfigError if the text is no
   * policy, and as `around` does. One call ends before the next.
   */
  readonly change: (next: Next, around: Around) => Promise<void>;
}

/** What they are, from what they are now. */
export type Next = (now: PolicySources) => PolicySources;

export type Around = (whole: Whole, apply: () => void) => Promise<void>;

/** Throws ConfigError if the text is no policy. */
export function createPolicyParts(file: string, first: PolicySources): PolicyParts {
  let sources = first;
  let whole = compose(file, first, []);
  const inTurn = createInTurn();

  async function change(next: Next, around: Around): Promise<void> {
    const after = next(sources);
    const composed = compose(file, after, whole.toolFiles);
    await around(composed, () => {
      [sources, whole] = [after, composed];
    });
  }

  return {
    sources: () => sources,
    whole: () => whole,
    toolProblems: () => [...faultsOf(sources.tools ?? new Map()), ...whole.unfit],
    change: (next, around) => inTurn(() => change(next, around)),
  };
}

function compose(
  file: string,
  { text, tools, assignments }: PolicySources,
  inForce: readonly ToolFile[],
): Whole {
  const toolFiles = tools && { toolFiles: candidatesOf(tools, inForce) };
  const composed = composePolicy(text, file, { assignments, ...toolFiles });
  if ('problems' in composed) throw new ConfigError(composed.problems);
  return composed;
}
