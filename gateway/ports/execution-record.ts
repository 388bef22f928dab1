import type { CutCommand } from '../../src/recordable-command.ts';

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
