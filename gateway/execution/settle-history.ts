import { exitOf, failure } from '../../src/outcome.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DecisionRecord, OutcomeRecord, StartRecord } from '../audit/audit-record.ts';
import {
  executionKey,
  type Recorded,
  type RecordedExecution,
  recordedExecutions,
} from '../audit/recorded-executions.ts';
import { relayNoticesMs } from '../control/displaced-places.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { History } from '../store/history.ts';

/** What an earlier gateway left: its history lags behind its audit, and a killed gateway records no ends. */
export interface Leftovers {
  /** Whether the audit has a verdict on it; the key is that of `executionKey`. */
  readonly hasVerdict: (key: string) => boolean;
  /** Whether the audit says that it was started, or has ended: the database may be an older copy, or have been full. */
  readonly isUsed: (key: string) => boolean;
  /** Ends all open executions except `kept` (keys of `executionKey`), once in the history and once in the audit. */
  readonly endAllBut: (kept: ReadonlySet<string>) => Promise<void>;
}

export interface Records {
  readonly audit: AuditLog;
  readonly auditFile: string;
  readonly history: History;
  /** The history has everything up to this record of the audit. */
  readonly settledUpTo: number;
  /** The Docker hosts of gateway.yaml. */
  readonly hosts: readonly string[];
  /** Called for each mirrored command that was not seen to end, or not long ago: its relay may still run it. */
  readonly onVanished: (execution: ExecutionRecord) => void;
  /** Called for each command that was not seen to end on a host that is not in gateway.yaml. */
  readonly onLeft: (execution: ExecutionRecord) => void;
}

/** First updates the history to the end of the audit. Once, before anything runs. */
export async function settleHistory(records: Records): Promise<Leftovers> {
  const { audit, auditFile, history, settledUpTo } = records;
  const recorded = await recordedExecutions(auditFile, settledUpTo);
  for (const { decision } of recorded.values()) {
    if (decision === undefined || (await history.has(decision.caller, decision.execution))) continue;
    history.save(recordOf(decision));
  }
  return {
    hasVerdict: (key) => recorded.get(key)?.verdict !== undefined,
    isUsed: (key) => {
      const { start, outcome } = recorded.get(key) ?? {};
      return start !== undefined || outcome !== undefined;
    },
    endAllBut: async (kept) => {
      const open = (await history.unended()).filter((record) => !kept.has(keyOf(record)));
      for (const record of open) history.save({ ...record, ...lastOf(record, recorded.get(keyOf(record))) });
      for (const record of [...open, ...(await justGone(history, recorded))])
        if (mayBeMirrored(record, recorded.get(keyOf(record)))) records.onVanished(record);
      const unended = [...unendedOf(open, recorded)].filter(([key]) => !kept.has(key));
      const ended = await Promise.all(unended.map(([, { caller, id }]) => history.get(caller, id)));
      await Promise.all(ended.flatMap((record) => (record ? audit.append(outcomeOf(record)) : [])));
      for (const record of await history.unseenEnds(records.hosts)) records.onLeft(record);
    },
  };
}

/** Whatever state the history has: it may be older than the last word to the relay. */
function mayBeMirrored({ strategy }: ExecutionRecord, recorded: RecordedExecution | undefined): boolean {
  const { outcome, decision } = recorded ?? {};
  return (outcome === undefined || isJustGone(outcome)) && (strategy || decision?.strategy) === 'mirror';
}

/** An earlier gateway has ended it, and its relay may not have noticed yet. A time that is still to come counts. */
function isJustGone({ reason, time }: Recorded<OutcomeRecord>): boolean {
  const isCut = reason === 'requester-gone' || reason === 'gateway-lost';
  return isCut && Date.now() - Date.parse(time) < relayNoticesMs;
}

async function justGone(
  history: History,
  recorded: ReadonlyMap<string, RecordedExecution>,
): Promise<ExecutionRecord[]> {
  const outcomes = [...recorded.values()].flatMap(({ outcome }) => outcome ?? []).filter(isJustGone);
  const records = await Promise.all(outcomes.map(({ caller, execution }) => history.get(caller, execution)));
  return records.flatMap((record) => record ?? []);
}

interface Named {
  readonly caller: string;
  readonly id: string;
}

function keyOf({ caller, id }: Named): string {
  return executionKey(caller, id);
}

/** By key: executions without an end in the audit, whether the history has them as open or ended. */
function unendedOf(
  open: readonly Named[],
  recorded: ReadonlyMap<string, RecordedExecution>,
): Map<string, Named> {
  const begun = [...recorded.values()].flatMap(({ decision }) => decision ?? []);
  const all = [...open, ...begun.map(({ caller, execution }) => ({ caller, id: execution }))];
  return new Map(
    all
      .filter((named) => recorded.get(keyOf(named))?.outcome === undefined)
      .map((named) => [keyOf(named), named]),
  );
}

/** As far as the decision record tells. */
function recordOf({ execution, time, ...decided }: Recorded<DecisionRecord>): ExecutionRecord {
  const { caller, agent, argv, cwd, cut, uid, gid, decision, rule, reason, strategy, planHash } = decided;
  const at = Date.parse(time);
  return {
    ...{
      id: execution,
      caller,
      agent,
      argv,
      cwd,
      ...(cut && { cut }),
      uid,
      gid,
      decision,
      rule,
      strategy,
      planHash,
    },
    ...{ state: 'received', decisionReason: reason, host: '', container: '', plan: '', approvalId: '' },
    ...{ approver: '', outcome: '', exitCode: 0, exitSignal: 0, reason: '', text: '' },
    ...{ receivedAt: at, decidedAt: at, startedAt: undefined, endedAt: undefined },
    ...{ stdoutBytes: 0, stderrBytes: 0, operands: '' },
  };
}

/** What the audit knows, and the history may have missed: it is written behind. */
function lastOf(
  record: ExecutionRecord,
  { inspection, verdict, start, outcome }: RecordedExecution = {},
): Partial<ExecutionRecord> {
  const { planHash = record.planHash } = inspection ?? {};
  return {
    // Only the question had the text of another plan.
    ...(planHash !== record.planHash && { planHash, plan: '' }),
    // Of one that nobody allowed it is known that it never started.
    ...(verdict && {
      approvalId: verdict.approval,
      approver: verdict.verdict === 'approved' ? verdict.by : '',
    }),
    ...startOf(start, record.startedAt),
    ...endOf(outcome),
  };
}

function startOf(
  told: Recorded<StartRecord> | undefined,
  startedAt: number | undefined,
): Partial<ExecutionRecord> {
  if (told === undefined) return {};
  const { host, container, approver, operands, time } = told;
  return {
    ...{ host, container, startedAt: startedAt ?? Date.parse(time) },
    ...(approver !== undefined && { approver }),
    ...(operands && { operands: JSON.stringify(operands) }),
  };
}

function endOf(told: Recorded<OutcomeRecord> | undefined): Partial<ExecutionRecord> {
  if (told === undefined) return { ...lost(), state: 'ended', endedAt: Date.now() };
  const { outcome, code, signal, reason, text, stdoutBytes, stderrBytes, time } = told;
  const end = { outcome, exitCode: code, exitSignal: signal, reason, text, stdoutBytes, stderrBytes };
  return { ...end, state: 'ended', endedAt: Date.parse(time) };
}

function lost(): Partial<ExecutionRecord> {
  const text = 'the gateway ended before the command did';
  const outcome = failure('gateway-lost', text);
  return {
    outcome: outcome.kind,
    exitCode: exitOf(outcome).code,
    exitSignal: 0,
    reason: 'gateway-lost',
    text,
  };
}

/** Digests and durations are lost with the gateway that knew them. */
function outcomeOf(record: ExecutionRecord): OutcomeRecord {
  const { id, caller, agent, outcome, exitCode, exitSignal, reason, text, stdoutBytes, stderrBytes } = record;
  return {
    ...{ type: 'outcome', execution: id, caller, agent, outcome, code: exitCode, signal: exitSignal },
    ...{ reason, text, stdoutBytes, stderrBytes, stdoutDigest: '', stderrDigest: '', durationsMs: {} },
  };
}
