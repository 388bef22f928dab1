import type { ToolStrategy } from '../../src/plan.ts';
import type { Action } from '../../src/policy/policy.ts';

/** A tool as the policy in force defines it, and what the policy says about its commands. */
export interface ToolView {
  readonly name: string;
  readonly strategy: ToolStrategy;
  /** Empty unless it runs in a container of its own. */
  readonly image: string;
  /** `session`: in a container that the agent keeps. */
  readonly isolation: 'ghost' | 'session';
  readonly network: string;
  /** Destinations and routes of its network, if that goes by name: `registry.example:443`, `route npm`. */
  readonly reaches: readonly string[];
  readonly workspace: 'write' | 'read' | 'none';
  readonly stdin: 'pipe' | 'none';
  /** 0 if there is none. */
  readonly timeoutMs: number;
  /** The best that a command of it may come to: `deny` if none can run. */
  readonly best: Action;
  /** All that a command of it may come to, the best first. */
  readonly may: readonly Action[];
  /** What becomes of its commands that no rule is about. */
  readonly otherwise: Action;
  /** Where it comes from how it takes its arguments; empty if that is not known. */
  readonly known: string;
  /** One line of its tool file; empty if it has none. */
  readonly description: string;
  /** Markdown of its tool file; empty if it has none. */
  readonly documentation: string;
  /** That are about it, in their order. */
  readonly rules: readonly {
    readonly name: string;
    readonly action: Action;
    readonly reason: string;
    readonly instead: string;
  }[];
}
