import type { AgentState, Halt, Held } from './agent-state.ts';
import type { Caller } from './caller.ts';
import type { ExecutionRecord, ExecutionSummary, HistoryFilter, HistoryRow } from './execution-record.ts';
import type { RecordedOutput } from './recorded-output.ts';
import type { Answer, PendingApproval, Resolution } from './verdict.ts';

export interface AgentView {
  readonly name: string;
  readonly relay: string;
  readonly online: boolean;
  readonly containerRunning: boolean;
  readonly tools: readonly string[];
  readonly running: number;
  readonly pending: number;
  /** Absent where it may work. */
  readonly held?: Held;
  readonly problem: string;
}

export interface HostView {
  readonly name: string;
  readonly state: 'ready' | 'draining' | 'down';
  readonly engine: string;
  readonly slots: number;
  readonly running: number;
  readonly queued: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly problem: string;
  /** Ghosts that wait for a command. */
  readonly warm: number;
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

/** A command that somebody asks about. */
export interface ExplainedCommand {
  /** Empty: an orchestrator without an agent. */
  readonly agent: string;
  readonly tool: string;
  readonly args: readonly string[];
  /** The first of the agent's users where absent. */
  readonly uid?: number;
  /** The agent's own where empty. */
  readonly cwd: string;
}

export interface Explanation {
  readonly action: 'allow' | 'deny' | 'ask';
  readonly rule: string;
  /** 0 where no rule decided. */
  readonly line: number;
  readonly reason: string;
  readonly code: string;
  readonly policyHash: string;
  /** Canonical; empty where denied or where none can be made. */
  readonly plan: string;
  /** Why none can be made. */
  readonly problem: string;
  /** 0 where nobody would be asked. */
  readonly questionMs: number;
}

export interface PolicyView {
  readonly hash: string;
  readonly text: string;
  /** Empty, or why the file as it is now is not in force. */
  readonly problem: string;
}

/** What operators may see and do; the gRPC WardenService, later HTTP, are thin covers over it. */
export interface OperatorApi {
  /** All that has not ended, the oldest first. */
  readonly running: () => ExecutionSummary[];
  /** The newest first. */
  readonly history: (filter: HistoryFilter) => Promise<HistoryRow[]>;
  /**
   * By id, or by the only one that begins with it; of one caller unless that is empty. `undefined` where there is none
   * or more than one.
   */
  readonly execution: (id: string, caller: string) => Promise<ExecutionRecord | undefined>;
  /** `undefined` where the policy did not have it recorded, or it has gone since. */
  readonly output: (caller: string, id: string) => Promise<RecordedOutput | undefined>;
  /** All that wait, the oldest first. */
  readonly approvals: () => PendingApproval[];
  readonly watchApprovals: (listener: () => void, signal: AbortSignal) => void;
  readonly resolveApproval: (id: string, answer: Answer, by: Caller) => Promise<Resolution>;
  readonly setAgentState: (
    agent: string,
    state: AgentState,
    by: Caller,
    reason: string,
  ) => Promise<Halt | undefined>;
  readonly setLockdown: (on: boolean, by: Caller, reason: string) => Promise<Halt>;
  readonly agents: () => AgentView[];
  readonly hosts: () => HostView[];
  /** Resolves once it is on the disk; `undefined` where there is no such host. */
  readonly setHostDraining: (
    host: string,
    draining: boolean,
    by: Caller,
    reason: string,
  ) => Promise<HostView | undefined>;
  /** Resolves once it is on the disk; false where no agent has this relay. */
  readonly revokeRelay: (relay: string, by: Caller, reason: string) => Promise<boolean>;
  readonly policy: () => PolicyView;
  readonly explain: (command: ExplainedCommand) => Promise<Explanation>;
  readonly status: () => StatusView;
}
