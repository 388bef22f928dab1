import type { ErrorCode } from '../errors.ts';
import type { Strategy } from '../plan.ts';
import type { FlagIndex } from './arguments/flags.ts';
import type { KnownTools } from './arguments/tools/known-tools.ts';
import type { ArgPattern } from './rules/match-args.ts';
import type { LegacyGlob } from './version-0/legacy-glob.ts';

export type Action = 'allow' | 'ask' | 'deny';

/** One policy file, checked and ready to decide with. Immutable. */
export type Policy = PolicyBase &
  (
    | {
        readonly version: 1;
        readonly rules: readonly Rule[];
        /** Of these rules; one of others does not count. */
        readonly index?: RuleIndex;
      }
    /** The first Clawrden's format: the first rule that matches wins. */
    | { readonly version: 0; readonly rules: readonly LegacyRule[] }
  );

export type PolicyResult = { readonly policy: Policy } | { readonly problems: readonly string[] };

export interface PolicyBase {
  /** SHA-256 of the file's bytes, in hex. */
  readonly hash: string;
  /** `shadow`: nothing that a rule says is enforced; each decision tells what it would have been. */
  readonly mode: 'enforce' | 'shadow';
  readonly defaultAction: Action;
  /** Absolute and normalised. */
  readonly workspace: string;
  /** Where a command may start. The workspace is the first, in version 1 the only one. */
  readonly roots: readonly string[];
  readonly timeoutMs: number;
  readonly approvalExpiresMs: number;
  /** Names of environment variables, `*` at the end stands for any rest. */
  readonly environment: readonly string[];
  /** In version 0 a tool that is not here still runs, by mirror. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly breakers: readonly Breaker[];
  /** Whose arguments can be taken apart; those that Clawrden brings data for where absent. */
  readonly known?: KnownTools;
  /** What loads but should not be relied on; one line each. */
  readonly warnings: readonly string[];
}

/** How a tool runs once a rule lets it. Everything is filled in; 0 means no limit. */
export interface ToolDefinition {
  readonly name: string;
  readonly strategy: Strategy;
  /** Always there for `ghost`. */
  readonly image?: string;
  /** `none`, or the Docker network's own name. */
  readonly network: string;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly outputBytes: number;
  readonly fileBytes: number;
  readonly stdin: 'pipe' | 'none';
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Names of environment variables that it may see besides the policy's. */
  readonly environment: readonly string[];
  /** `head-tail`: the beginning and the end of what it writes are kept. */
  readonly record: 'none' | 'head-tail';
  /** None of its arguments may have any of these characters. */
  readonly forbidden: string;
  /** What happens to this tool's commands that no rule matches; the policy's default where absent. */
  readonly otherwise?: Action;
}

/** What a rule says about how a command runs, over what its tool's definition says. */
export type RunOverrides = Partial<Omit<ToolDefinition, 'name' | 'timeoutMs' | 'forbidden' | 'otherwise'>>;

/** At most so many in any stretch of that length, for each agent by itself. */
export interface Rate {
  readonly rule: string;
  readonly most: number;
  readonly perMs: number;
}

/** Stops an agent that has lost its way, until a person lets it go on. Each agent is counted by itself. */
export interface Breaker {
  readonly name: string;
  readonly trips: Trips;
  /** `refuse`: no new work; what runs goes on. `pause`: as an operator's pause. */
  readonly action: 'refuse' | 'pause';
  /** One line for the refused agent, and for the person who may let it continue. */
  readonly reason?: string;
  /** All where absent. */
  readonly agents?: ReadonlySet<string>;
}

/** `repeats`, `failures`: so many in a row. `rate`: more than so many in a stretch of that length. */
export type Trips =
  | { readonly on: 'repeats' | 'failures'; readonly most: number }
  | { readonly on: 'rate'; readonly most: number; readonly perMs: number };

/** Matches where all of its conditions do; an absent one always does. */
export interface Rule extends RuleEffect {
  readonly tools?: ReadonlySet<string>;
  readonly args?: ArgPattern;
  /** At least one of these was given. */
  readonly flags?: readonly string[];
  readonly uids?: ReadonlySet<number>;
  readonly agents?: ReadonlySet<string>;
  /** The agent carries all of these. */
  readonly labels?: readonly (readonly [name: string, value: string])[];
  /** In one of these directories or below. */
  readonly cwd?: readonly string[];
  /** By their own names; only for tools that are known. */
  readonly subcommands?: ReadonlySet<string>;
  /** Only where no argument runs a program or writes a file; only for tools that are known. */
  readonly safeArguments?: boolean;
  /** One line: what to do instead of what is denied. */
  readonly instead?: string;
  /** What a wrapper or a shell would run is not looked at. */
  readonly runsAnything?: boolean;
  readonly rate?: Rate;
  readonly overrides?: RunOverrides;
}

/** Rules of one action, in their order. */
export type SortedRules = Readonly<Record<Action, readonly Rule[]>>;

/** The rules of a policy by what they are about. Made once, asked for every command. */
export interface RuleIndex {
  /** What it was made of. */
  readonly rules: readonly Rule[];
  readonly flags: FlagIndex<Rule>;
  readonly byTool: ReadonlyMap<string, SortedRules>;
  readonly ofEveryTool: SortedRules;
  readonly order: ReadonlyMap<Rule, number>;
}

export interface LegacyRule extends RuleEffect {
  readonly command: LegacyGlob;
  /** Where there are any: one of these occurs in the arguments joined by single spaces. */
  readonly substrings: readonly string[];
}

export interface RuleEffect {
  readonly name: string;
  readonly action: Action;
  readonly reason: string;
  readonly timeoutMs?: number;
  /** Of the policy file, counted from 1. */
  readonly line: number;
}

/** What a decision is made on: a caller's claim plus what was attested about it. */
export interface CommandFacts {
  readonly agent: string;
  readonly tool: string;
  readonly args: readonly string[];
  readonly uid: number;
  readonly gid: number;
  readonly cwd: string;
  /** The agent's. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Decision {
  readonly action: Action;
  /** The rule's name, or one of `reservedRuleNames` where no rule decided. */
  readonly rule: string;
  /** One line for people. */
  readonly reason: string;
  /** What to do instead, where a rule says it. */
  readonly instead?: string;
  /** Always there unless denied; with what the deciding rules say about it. */
  readonly tool?: ToolDefinition;
  /** Always there where denied. */
  readonly code?: ErrorCode;
  /** The rule's own; otherwise the tool's holds. */
  readonly timeoutMs?: number;
  /** Of the rules that decided; each must be kept. */
  readonly rates?: readonly Rate[];
}
