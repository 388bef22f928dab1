import type { CutCommand } from '../../src/recordable-command.ts';

/** One row of history. Times are epoch milliseconds; `undefined` means not reached. */
export interface ExecutionRecord {
  readonly id: string;
  readonly caller: string;
  readonly agent: string;
  /** Its beginning, if `cut` describes the whole. */
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
  /** Canonical JSON; empty if there is no plan, or if it is too long to be kept. */
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
  /** JSON of the files that the tool got to run, as in a plan; empty if there were none. */
  readonly operands: string;
  /** JSON of what its connections reached by name, as `ReachedPlace`; absent if it had none. */
  readonly connections?: string;
  /** How many these were; absent if there were none. */
  readonly connectionCount?: number;
}

export type ExecutionState = 'received' | 'awaiting-approval' | 'queued' | 'running' | 'ended';

/** What a list shows of an execution. */
export type ExecutionSummary = Omit<ExecutionRecord, 'plan' | 'operands' | 'connections'>;

/** The position of a row in the history: newer rows come before it, older rows after it. */
export interface HistoryPlace {
  readonly receivedAt: number;
  readonly row: number;
}

export interface HistoryRow extends HistoryPlace {
  readonly record: ExecutionSummary;
}

export interface HistoryFilter {
  readonly agent: string;
  /** Only of these; if absent, of all. */
  readonly agents?: readonly string[];
  readonly since: number | undefined;
  /** Only those that came before then. */
  readonly until?: number;
  readonly decision: string;
  /** Of this tool only; of all if it is absent or empty. */
  readonly tool?: string;
  /** Only the rows after this position; if absent, from the newest on. */
  readonly behind?: HistoryPlace;
  readonly limit: number;
}

/** Of rows that a filter lets through, those whose command line has this text. */
export interface HistorySearch extends Omit<HistoryFilter, 'behind'> {
  /** Capitals and small letters are the same. */
  readonly q: string;
  /** Only rows of a lower number; if absent, from the newest on. */
  readonly below?: number;
}

export interface FoundRows {
  readonly rows: readonly HistoryRow[];
  /** Where to go on, also if nothing was found so far; undefined at the end. */
  readonly below: number | undefined;
}
