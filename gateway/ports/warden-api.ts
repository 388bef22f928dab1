import type { LogLine } from '../../src/audit/read-from.ts';
import type { Consent } from '../../src/policy/policy.ts';
import type { Sees } from '../principals/sees.ts';
import type { AgentState, AgentStatus, Halt } from './agent-state.ts';
import type { AssignmentOperations } from './assignment-operations.ts';
import type {
  ExecutionRecord,
  ExecutionSummary,
  FoundRows,
  HistoryFilter,
  HistoryRow,
  HistorySearch,
} from './execution-record.ts';
import type { Followed } from './followed-output.ts';
import type { Grant } from './grant.ts';
import type { PrincipalOperations } from './known-principals.ts';
import type { Learn } from './learning.ts';
import type { Metric } from './metrics.ts';
import type { CheckPolicy } from './policy-check.ts';
import type { Principal } from './principal.ts';
import type { RecordedOutput } from './recorded-output.ts';
import type { KeptRecording } from './recording.ts';
import type { Rotations } from './rotations.ts';
import type { SecretView } from './secret-view.ts';
import type { SessionsReset, SessionView } from './session-view.ts';
import type { ToolView } from './tool-view.ts';
import type { EarlierAnswer, PendingApproval, Resolution, ShownVerdict } from './verdict.ts';
import type { WorkspaceOperations } from './workspace-view.ts';

export interface AgentView {
  readonly name: string;
  readonly relay: string;
  readonly online: boolean;
  readonly containerRunning: boolean;
  readonly tools: readonly string[];
  readonly running: number;
  readonly pending: number;
  /** Of plans that run without a question. */
  readonly grants: number;
  /** Absent if the agent may work. */
  readonly stopped?: AgentStatus;
  readonly problem: string;
}

export interface HostView {
  readonly name: string;
  readonly state: 'ready' | 'draining' | 'down';
  /** A person took new work from it; also while it is down. */
  readonly draining: boolean;
  readonly engine: string;
  readonly slots: number;
  readonly running: number;
  readonly queued: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly problem: string;
  /** Ghosts that wait for a command. */
  readonly warm: number;
  /** Of the files in all replicas there that this gateway has opened. */
  readonly workspaceBytes: number;
}

export interface RelayView {
  readonly name: string;
  /** In gateway.yaml. */
  readonly agents: number;
  readonly connected: boolean;
  /** `ADDRESS:PORT`; this and what follows is empty if it is not connected. */
  readonly peer: string;
  /** SHA-256 of its certificate, base64url. */
  readonly fingerprint: string;
  /** What it says of itself; empty before its first report. */
  readonly version: string;
  readonly since: number | undefined;
}

export interface StatusView {
  readonly version: string;
  readonly policyHash: string;
  readonly startedAt: number;
  readonly problem: string;
  readonly running: number;
  readonly queued: number;
  readonly pending: number;
  readonly warnings: readonly string[];
  readonly lockdown: boolean;
}

/** A command about which somebody asks. */
export interface ExplainedCommand {
  /** Empty for an orchestrator without an agent. */
  readonly agent: string;
  readonly tool: string;
  readonly args: readonly string[];
  /** If absent, the first of the agent's users. */
  readonly uid?: number;
  /** If empty, the agent's own. */
  readonly cwd: string;
}

export interface Explanation {
  readonly action: 'allow' | 'deny' | 'ask';
  readonly rule: string;
  /** 0 if no rule decided. */
  readonly line: number;
  readonly reason: string;
  readonly code: string;
  readonly policyHash: string;
  /** Canonical; empty if the command is denied, or if no plan can be made. */
  readonly plan: string;
  /** Why no plan can be made. */
  readonly problem: string;
  /** 0 if nobody would be asked. */
  readonly questionMs: number;
  /** Absent if nobody would be asked. */
  readonly consent?: Consent;
  /** Where it comes from how the tool takes its arguments; empty if that is not known. */
  readonly known: string;
}

export interface PolicyView {
  readonly hash: string;
  readonly text: string;
  /** Empty, or why the present file is not in force. */
  readonly problem: string;
}

/** What principals may see and do. The gRPC WardenService, and later HTTP, are thin layers over it. */
export interface WardenApi {
  /** All executions that have not ended, the oldest first. */
  readonly running: () => ExecutionSummary[];
  /** The newest first, read a few at a time. */
  readonly history: (filter: HistoryFilter) => AsyncIterable<HistoryRow>;
  /** The latest first. */
  readonly search: (search: HistorySearch) => Promise<FoundRows>;
  /**
   * By id, or by its beginning if that is unique; of one caller, unless that is empty, and
   * only of these agents, if any are given. `undefined` if there is no
   * such execution, or more than one.
   */
  readonly execution: (
    id: string,
    caller: string,
    agents?: readonly string[],
  ) => Promise<ExecutionRecord | undefined>;
  /** Resolves with what it is when it has ended, or after 2 s; undefined if none that is open has this id. */
  readonly cancel: (id: string, by: Principal) => Promise<ExecutionRecord | undefined>;
  /** To read along what it writes, which is recorded first; undefined if none that is open has this id. */
  readonly follow: (id: string, by: Principal) => Promise<Followed | undefined>;
  /** `undefined` if the policy did not have it recorded, or if it was deleted since. */
  readonly output: (caller: string, id: string) => Promise<RecordedOutput | undefined>;
  /** The same with its timing, if the policy wanted that. */
  readonly recording: (caller: string, id: string) => Promise<KeptRecording | undefined>;
  /** All waiting questions, the oldest first. */
  readonly approvals: () => PendingApproval[];
  /** How the same plan of the same agent was answered before, the newest first. */
  readonly earlierAnswers: (
    of: Pick<PendingApproval, 'agent' | 'planHash' | 'plan'>,
  ) => Promise<EarlierAnswer[]>;
  readonly watchApprovals: (listener: () => void, signal: AbortSignal) => void;
  readonly resolveApproval: (
    id: string,
    verdict: Omit<ShownVerdict, 'by'>,
    by: Principal,
  ) => Promise<Resolution>;
  /** In force, the oldest first. */
  readonly grants: () => Grant[];
  /**
   * It covers nothing from now on, and what waits to start by it is refused; what runs goes on. `undefined` if no such
   * grant is in force.
   */
  readonly revokeGrant: (id: string, by: Principal, reason: string) => Promise<Grant | undefined>;
  readonly setAgentState: (
    agent: string,
    state: AgentState,
    by: Principal,
    reason: string,
  ) => Promise<Halt | undefined>;
  readonly setLockdown: (on: boolean, by: Principal, reason: string) => Promise<Halt>;
  readonly agents: () => AgentView[];
  readonly hosts: () => HostView[];
  /** Those that gateway.yaml names, and those that are connected though it does not. */
  readonly relays: () => RelayView[];
  /** Containers that agents keep between commands. */
  readonly sessions: () => SessionView[];
  /** Ends all of an agent with what runs in them, once it is recorded; `undefined` if there is no such agent. */
  readonly resetSessions: (
    agent: string,
    by: Principal,
    reason: string,
  ) => Promise<SessionsReset | undefined>;
  /** Resolves when it is on the disk; `undefined` if there is no such host. */
  readonly setHostDraining: (
    host: string,
    draining: boolean,
    by: Principal,
    reason: string,
  ) => Promise<HostView | undefined>;
  readonly principals: PrincipalOperations;
  readonly rotations: Rotations;
  /**
   * Lines of the audit, oldest first: from record `from` on, or, if that is undefined, the last `count` records and what
   * comes behind them meanwhile. Reads as far as its reader goes.
   */
  readonly audit: (from: number | undefined, count: number) => AsyncIterable<LogLine>;
  /** By the policy in force; of these agents, if any are given, and then only what one of them may use. */
  readonly tools: (agents?: readonly string[]) => ToolView[];
  readonly assignments: AssignmentOperations;
  /** Which public addresses a tool needs, by letting it reach them. */
  readonly learn: Learn;
  /** Those of gateway.yaml, by name. If `check`, each is read. */
  readonly secrets: (check: boolean) => Promise<SecretView[]>;
  readonly policy: () => PolicyView;
  /** An agent that `asker` does not see is not known. */
  readonly explain: (command: ExplainedCommand, asker: Principal) => Promise<Explanation>;
  readonly checkPolicy: CheckPolicy;
  /** The agents that a principal sees now. */
  readonly within: (caller: Pick<Principal, 'kind' | 'name' | 'scope' | 'also'>) => Sees;
  readonly status: () => StatusView;
  /** Figures for a monitor, over everything. */
  readonly metrics: () => readonly Metric[];
  readonly workspaces: WorkspaceOperations;
}
