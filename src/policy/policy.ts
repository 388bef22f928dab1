import type { NetworkReach } from '../egress/reach.ts';
import type { ErrorCode } from '../errors.ts';
import type { Strategy, ToolStrategy } from '../plan.ts';
import type { FlagIndex } from './arguments/flags.ts';
import type { KnownTools } from './arguments/tools/known-tools.ts';
import type { ArgPattern } from './rules/match-args.ts';
import type { WantedWords } from './rules/wanted-words.ts';
import type { LegacyGlob } from './version-0/legacy-glob.ts';

export type Action = 'allow' | 'ask' | 'deny';

/** One policy file, checked and ready to decide with. Immutable. */
export type Policy = PolicyBase &
  (
    | {
        readonly version: 1;
        readonly rules: readonly Rule[];
        /** For these rules; a rule of another policy does not count. */
        readonly index?: RuleIndex;
      }
    /** The first Clawrden's format: the first rule that matches wins. */
    | { readonly version: 0; readonly rules: readonly LegacyRule[] }
  );

export type PolicyResult = { readonly policy: Policy } | { readonly problems: readonly string[] };

export interface PolicyBase {
  /** SHA-256 of the whole text that decides, in hex; of the file's own if nothing counts beside it. */
  readonly hash: string;
  /** `shadow`: no rule is enforced; each decision says what it would have been. */
  readonly mode: 'enforce' | 'shadow';
  readonly defaultAction: Action;
  /** Absolute and normalised. */
  readonly workspace: string;
  /** Where a command may start. The workspace comes first; in version 1 it is the only one. */
  readonly roots: readonly string[];
  readonly timeoutMs: number;
  readonly approvalExpiresMs: number;
  /** Names of environment variables; `*` at the end means any rest. */
  readonly environment: readonly string[];
  /** In version 0 a tool that is not here still runs, by mirror. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** What each network by name lets be reached; absent if there are none. */
  readonly networks?: ReadonlyMap<string, NetworkReach>;
  /** What tool files say of the tools that they define. Absent if there are none. */
  readonly pages?: ReadonlyMap<string, ToolPage>;
  readonly breakers: readonly Breaker[];
  /** Tools whose arguments can be read; if absent, those with shipped data. */
  readonly known?: KnownTools;
  /** Faults of a policy that still loads; one line each. */
  readonly warnings: readonly string[];
}

/** What people and agents read of a tool. */
export interface ToolPage {
  /** One line. */
  readonly description: string;
  /** Markdown; no part of what the policy's hash is over. */
  readonly documentation: string;
}

/** How a tool runs once a rule allows it. Every field is filled in; 0 means no limit. */
export interface ToolDefinition {
  readonly name: string;
  readonly strategy: ToolStrategy;
  /** Always present for `ghost`. */
  readonly image?: string;
  /** `none`, or the Docker network's own name. */
  readonly network: string;
  /** What it may reach by name; then `network` is `none`. */
  readonly reach: NetworkReach;
  /** Of all its connections by name: bytes there, and from there. */
  readonly egressUpBytes: number;
  readonly egressDownBytes: number;
  /** What it is given: by the name of a variable, or a path below /run/secrets, the name of a secret. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Whether its agent gets its output with the secrets in it. */
  readonly unmasked: boolean;
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
  /** `head-tail`: the gateway keeps the beginning and the end of its output; `full`: and the time of each chunk. */
  readonly record: 'none' | 'head-tail' | 'full';
  /** What it may do with the agent's workspace; `none`: it does not see it. */
  readonly workspace: 'write' | 'read' | 'none';
  /** `session`: in a container that the agent's commands of this kind share; `ghost`: in one of its own. */
  readonly isolation: 'ghost' | 'session';
  /** So often, in milliseconds, changes go both ways while it runs on a host that does not see the workspace; 0: not. */
  readonly liveMs: number;
  /** None of its arguments may contain any of these characters. */
  readonly forbidden: string;
  /** The action for this tool's commands that no rule matches; if absent, the policy's default. */
  readonly otherwise?: Action;
}

/** As a command runs: a tool of the policy, or help. */
export interface DecidedTool extends Omit<ToolDefinition, 'strategy'> {
  readonly strategy: Strategy;
}

/** What a rule sets about how a command runs; it overrides the tool's definition. */
export type RunOverrides = Partial<Omit<ToolDefinition, 'name' | 'timeoutMs' | 'forbidden' | 'otherwise'>>;

/** At most so many in any interval of that length, for each agent separately. */
export interface Rate {
  readonly rule: string;
  readonly most: number;
  readonly perMs: number;
}

/** Stops an agent that has lost its way, until a person lets it continue. Each agent is counted separately. */
export interface Breaker {
  readonly name: string;
  readonly trips: Trips;
  /** `refuse`: no new work, but what runs continues. `pause`: like an operator's pause. */
  readonly action: 'refuse' | 'pause';
  /** One line for the refused agent, and for the person who may let it continue. */
  readonly reason?: string;
  /** All agents if absent. */
  readonly agents?: ReadonlySet<string>;
}

/** `repeats`, `failures`: so many in a row. `rate`: more than so many in an interval of that length. */
export type Trips =
  | { readonly on: 'repeats' | 'failures'; readonly most: number }
  | { readonly on: 'rate'; readonly most: number; readonly perMs: number };

/** Matches if all of its conditions match; an absent condition always matches. */
export interface Rule extends RuleEffect {
  readonly tools?: ReadonlySet<string>;
  readonly args?: ArgPattern;
  /** At least one of these flags is on the line. */
  readonly flags?: readonly string[];
  readonly uids?: ReadonlySet<number>;
  readonly agents?: ReadonlySet<string>;
  /** The agent has all of these labels. */
  readonly labels?: readonly (readonly [name: string, value: string])[];
  /** In one of these directories or below. */
  readonly cwd?: readonly string[];
  /** By their own names or by aliases, of each tool its own; only for known tools. */
  readonly subcommands?: ReadonlySet<string>;
  /** Only if no argument runs a program or writes a file; only for known tools. */
  readonly safeArguments?: boolean;
  /** One line: what to do instead of the denied command. */
  readonly instead?: string;
  /** The policy does not look at what a wrapper or a shell would run. */
  readonly runsAnything?: boolean;
  readonly rate?: Rate;
  readonly overrides?: RunOverrides;
  /** Only of an ask rule; if absent, one approver is enough. */
  readonly consent?: Consent;
}

/** What a question needs: so many different people who say yes, and who counts. */
export interface Consent {
  readonly approvals: number;
  /** The lowest that counts. */
  readonly role: ApproverRole;
  /** Only these people; if absent, all. */
  readonly names?: readonly string[];
  /** Where it may be answered; if absent, at `usualDoors`. */
  readonly answerIn?: readonly Door[];
  /** It is told again each time that nobody has answered for so long. */
  readonly remindMs?: number;
  /** Whom gateway.yaml names so is told when nobody has answered for so long. */
  readonly escalate?: Escalation;
}

/** `cli`: gRPC. `dashboard`: HTTP. `chat`: the chats. */
export const doors = ['cli', 'dashboard', 'chat'] as const;

export type Door = (typeof doors)[number];

export const usualDoors: readonly Door[] = ['cli', 'dashboard'];

export interface Escalation {
  readonly afterMs: number;
  readonly to: string;
}

export type ApproverRole = 'approver' | 'operator' | 'admin';

/** Rules of one action, in their order. */
export type SortedRules = Readonly<Record<Action, readonly Rule[]>>;

/** The rules of a policy by what they are about. Made once, used for every command. */
export interface RuleIndex {
  /** The rules from which it was made. */
  readonly rules: readonly Rule[];
  readonly flags: FlagIndex<Rule>;
  /** Flags of strict rules that may be several options in one word, or an option with its value. */
  readonly rows: ReadonlyMap<Rule, readonly string[]>;
  /** The words that their patterns are about. */
  readonly words: WantedWords;
  readonly byTool: ReadonlyMap<string, SortedRules>;
  readonly ofEveryTool: SortedRules;
  readonly order: ReadonlyMap<Rule, number>;
}

export interface LegacyRule extends RuleEffect {
  readonly command: LegacyGlob;
  /** If there are any: one of these texts occurs in the arguments joined by single spaces. */
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

/** The facts for a decision: a caller's claim, and what was attested about it. */
export interface CommandFacts {
  readonly agent: string;
  readonly tool: string;
  readonly args: readonly string[];
  readonly uid: number;
  readonly gid: number;
  readonly cwd: string;
  /** The agent's labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Decision {
  readonly action: Action;
  /** The rule's name, or one of `reservedRuleNames` if no rule decided. */
  readonly rule: string;
  /** One line for people. */
  readonly reason: string;
  /** What to do instead, if a rule says so. */
  readonly instead?: string;
  /** Always present unless denied; with the settings of the deciding rules. */
  readonly tool?: DecidedTool;
  /** Always present if denied. */
  readonly code?: ErrorCode;
  /** The rule's own; otherwise the tool's counts. */
  readonly timeoutMs?: number;
  /** The rates of the rules that decided; each must be kept. */
  readonly rates?: readonly Rate[];
  /** Of all rules that ask; if absent, one approver is enough. */
  readonly consent?: Consent;
}
