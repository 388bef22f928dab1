import type { CutCommand, RecordableCommand } from '../src/recordable-command.ts';
import type { RecordedOutput } from './execution/output-excerpt.ts';
import type { Caller } from './ports/caller.ts';

/** One row of history. Times are epoch milliseconds; `undefined` means not reached. */
export interface ExecutionRecord {
  readonly id: string;
  readonly caller: string;
  readonly agent: string;
  /** The beginning of it, where `cut` says what the whole is. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly cut?: CutCommand;
  readonly uid: number;
  readonly gid: number;
  readonly state: ExecutionState;
  readonly decision: '' | 'allow' | 'deny' | 'ask';
  readonly rule: string;
  readonly decisionReason: string;
  readonly strategy: string;
  readonly host: string;
  readonly container: string;
  readonly planHash: string;
  /** Canonical JSON; empty where there is none, and where it is longer than is kept. */
  readonly plan: string;
  readonly approvalId: string;
  readonly approver: string;
  readonly outcome: string;
  readonly exitCode: number;
  readonly exitSignal: number;
  readonly reason: string;
  readonly text: string;
  readonly receivedAt: number;
  readonly decidedAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** JSON of what the tool was given to run, as in a plan; empty where that is nothing but the tool. */
  readonly operands: string;
}

export type ExecutionState = 'received' | 'awaiting-approval' | 'queued' | 'running' | 'ended';

/** What a list shows of an execution. */
export type ExecutionSummary = Omit<ExecutionRecord, 'plan' | 'operands'>;

/** Where a row of history stands: newer ones come before it, older ones behind it. */
export interface HistoryPlace {
  readonly receivedAt: number;
  readonly row: number;
}

export interface HistoryRow extends HistoryPlace {
  readonly record: ExecutionSummary;
}

export interface HistoryFilter {
  readonly agent: string;
  readonly since: number | undefined;
  readonly decision: string;
  /** Only what stands behind this; from the newest on, where it is absent. */
  readonly behind?: HistoryPlace;
  readonly limit: number;
}

export interface PendingApproval {
  readonly id: string;
  readonly executionId: string;
  readonly agent: string;
  readonly planHash: string;
  /** Canonical JSON. */
  readonly plan: string;
  /** The plan's, for lists. */
  readonly command: RecordableCommand;
  /** Why it cannot be approved for a while; empty where it can. */
  readonly noGrant: string;
  readonly rule: string;
  readonly reason: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** `refused`: a breaker lets no new work of it through; what runs goes on. */
export type AgentState = 'active' | 'refused' | 'paused' | 'killed';

/** By whom a state was set (`operator:NAME`, `breaker:NAME`), why, and when (epoch milliseconds). */
export interface Held {
  readonly state: AgentState;
  readonly by: string;
  readonly reason: string;
  readonly since: number;
}

/** What came of a pause or kill. `unconfirmed` names what was still there after 2 s: its host cannot be reached. */
export interface Halt {
  readonly stopped: number;
  readonly unconfirmed: readonly string[];
}

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

/** What a person says to a pending approval. */
export interface Answer {
  /** Of the plan that the person was shown. */
  readonly planHash: string;
  readonly verdict: 'approved' | 'denied';
  readonly reason: string;
  /** Over which surface. */
  readonly via: string;
  /** With an approval: it holds for the same plan for so long. */
  readonly grantMs?: number;
}

/** What a verdict came to. Only `resolved` changed anything. */
export type Resolution =
  | { readonly type: 'resolved'; readonly approval: PendingApproval }
  | {
      readonly type: 'unknown' | 'already-resolved' | 'plan-changed' | 'no-grant';
      readonly text: string;
    };

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
export interface WardenView {
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

/** What a relay says it is. */
export interface RelayReport {
  readonly version: string;
  readonly agents: readonly {
    readonly name: string;
    readonly containerRunning: boolean;
    readonly tools: readonly string[];
    readonly problem: string;
    /** Nothing of ours runs for it, and its container is paused or gone, as was asked. */
    readonly halted: boolean;
  }[];
}

/** What a relay should be. */
export interface RelayState {
  readonly lockdown: boolean;
  readonly agents: readonly {
    readonly name: string;
    readonly tools: readonly string[];
    readonly paused: boolean;
    readonly killed: boolean;
  }[];
}

/** One Synchronize stream of a relay. */
export interface RelayConnection {
  /** `ADDRESS:PORT` of the TCP connection. */
  readonly peer: string;
  /** SHA-256 of its certificate, base64url. */
  readonly fingerprint: string;
  readonly push: (state: RelayState) => void;
  /** Another stream of the same relay has taken its place: it is to end at once. */
  readonly displaced: (why: string) => void;
}

/** The relays that are connected now. */
export interface RelayRegistry {
  /**
   * A relay's Synchronize stream is open until `signal` aborts. `push` is called at once and whenever the desired
   * state changes; the returned function takes each report. A second stream of the same relay displaces the first.
   */
  readonly connect: (
    relay: string,
    connection: RelayConnection,
    signal: AbortSignal,
  ) => (report: RelayReport) => void;
}
