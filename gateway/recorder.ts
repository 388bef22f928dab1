import { ClawrdenError, toClawrdenError } from '../src/errors.ts';
import { exitOf, failure, type Outcome } from '../src/outcome.ts';
import { recordable } from '../src/recordable-command.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { DecisionRecord, IncidentRecord, OutcomeRecord } from './audit/audit-record.ts';
import { recordableOperands, recordablePlan } from './bounded-records.ts';
import { type Caller, callerName } from './caller.ts';
import type { StartRequest } from './channel.ts';
import type { Execution } from './execution.ts';
import type { RecordStart } from './executors/executor.ts';
import type { Judgement } from './judge.ts';
import type { OutputTotals } from './output-tally.ts';
import type { RecordedVerdict } from './permit.ts';
import type { SealedPlan } from './plan.ts';
import type { Outputs } from './store/outputs.ts';
import type { ExecutionRecord } from './warden-view.ts';

/** Writes each turn of an execution to the audit and to history. What a promise has resolved for is on the disk. */
export interface Recorder {
  /** The one decision record. Throws `audit-unwritable`: then nothing may run. */
  readonly decided: (
    execution: Execution,
    judgement: Judgement,
    sealed: SealedPlan | ClawrdenError,
  ) => Promise<void>;
  readonly verdict: (execution: Execution, approvalId: string, verdict: RecordedVerdict) => Promise<void>;
  /** The plan is another one once its operands are known. Throws `audit-unwritable`. */
  readonly inspected: (execution: Execution, sealed: SealedPlan) => Promise<void>;
  readonly started: RecordStart;
  /** Written behind: nothing follows from it, and the answer does not wait for the disk. */
  readonly ended: (execution: Execution, outcome: Outcome) => void;
  /** A request that never became an execution. */
  readonly refused: (caller: Caller, request: StartRequest, error: ClawrdenError) => Promise<Outcome>;
}

/** Refusals that no honest caller meets. */
const incidents: ReadonlySet<string> = new Set(['identity-agent', 'identity-mismatch']);

export function createRecorder(audit: AuditLog, outputs: Outputs, policyHash: () => string): Recorder {
  return {
    decided: async (execution, judgement, sealed) => {
      execution.advance(decidedFields(execution, judgement, sealed));
      const { code = '' } = judgement.decision;
      await audit.append(decisionRecord(execution, code, judgement.policyHash));
      if (incidents.has(code)) await audit.append(incidentRecord(execution, code));
    },
    verdict: (execution, approval, verdict) =>
      audit.append({
        type: 'verdict',
        ...idsOf(execution),
        approval,
        ...verdict,
        planHash: execution.record.planHash,
      }),
    inspected: (execution, { plan, canonical, hash: planHash }) => {
      execution.advance({ plan: recordablePlan(canonical), planHash });
      const { operands = [] } = plan;
      const seen = recordableOperands(operands);
      return audit.append({ type: 'inspection', ...idsOf(execution), operands: seen, planHash });
    },
    started: (execution, found) => {
      const operands = recordableOperands(found);
      const { host, container, planHash, approver } = execution.record;
      const by = approver === '' ? {} : { approver };
      // The decision is on the disk already; a disk that fills up now refuses the next one.
      const ran = operands.length === 0 ? {} : { operands };
      if (operands.length > 0) execution.advance({ operands: JSON.stringify(operands) });
      const start = { type: 'start', ...idsOf(execution), host, container, planHash, ...by, ...ran } as const;
      audit.append(start).catch(() => {});
    },
    ended: (execution, outcome) => {
      const totals = execution.output.totals();
      const { stdoutBytes, stderrBytes } = totals;
      const end = { state: 'ended', endedAt: Date.now(), stdoutBytes, stderrBytes } as const;
      // In one: whoever reads history meets no end without an outcome.
      execution.advance({ ...end, ...endFields(outcome) });
      audit.append(outcomeRecord(execution, outcome, totals)).catch(() => {});
      const recorded = execution.output.recorded();
      if (recorded !== undefined) outputs.save(execution.record.caller, execution.record.id, recorded);
    },
    refused: async (caller, request, error) => {
      const outcome = failure(error.code, error.message);
      const { uid = 0, gid = 0 } = request.identity ?? {};
      const ids = { execution: request.executionId, caller: callerName(caller), agent: request.agent };
      const { tool, args, cwd } = request.command;
      const what = { ...recordable([tool, ...args], cwd), uid, gid };
      const why = { decision: 'deny' as const, rule: error.code, reason: error.message, code: error.code };
      const rest = { strategy: '', planHash: '', policyHash: policyHash() };
      return audit
        .append({ type: 'decision', ...ids, ...why, ...what, ...rest })
        .then(() => outcome, unrecorded);
    },
  };
}

function incidentRecord({ record }: Execution, incident: string): IncidentRecord {
  const { id, caller, agent, decisionReason } = record;
  return {
    type: 'incident',
    incident,
    caller,
    text: `execution ${id} for agent ${agent}: ${decisionReason}`,
  };
}

function decidedFields(
  { record }: Execution,
  { decision, cleared }: Judgement,
  sealed: SealedPlan | ClawrdenError,
): Partial<ExecutionRecord> {
  const plan = sealed instanceof ClawrdenError ? undefined : sealed;
  return {
    decision: decision.action,
    rule: decision.rule,
    decisionReason: decision.reason,
    strategy: plan?.plan.strategy ?? decision.tool?.strategy ?? '',
    decidedAt: Date.now(),
    planHash: plan?.hash ?? '',
    plan: recordablePlan(plan?.canonical ?? ''),
    cwd: cleared?.command.cwd ?? record.cwd,
    uid: cleared?.subject.identity.uid ?? record.uid,
    gid: cleared?.subject.identity.gid ?? record.gid,
  };
}

function unrecorded(error: unknown): Outcome {
  const { code, message } = toClawrdenError(error);
  return failure(code, message);
}

function idsOf({ record }: Execution): { execution: string; caller: string; agent: string } {
  return { execution: record.id, caller: record.caller, agent: record.agent };
}

function decisionRecord(execution: Execution, code: string, policyHash: string): DecisionRecord {
  const { record } = execution;
  const { argv, cwd, cut, uid, gid, rule, strategy, planHash } = record;
  const decision = record.decision || 'deny';
  const what = { argv, cwd, ...(cut && { cut }), uid, gid, strategy, planHash, policyHash };
  return {
    type: 'decision',
    ...idsOf(execution),
    decision,
    rule,
    reason: record.decisionReason,
    code,
    ...what,
  };
}

function outcomeRecord(execution: Execution, outcome: Outcome, totals: OutputTotals): OutcomeRecord {
  const { code, signal } = exitOf(outcome);
  const end = { outcome: outcome.kind, code, signal, ...reasonOf(outcome) };
  const { durations: durationsMs, usage } = execution;
  return { type: 'outcome', ...idsOf(execution), ...end, ...totals, durationsMs, ...(usage && { usage }) };
}

function endFields(outcome: Outcome): Partial<ExecutionRecord> {
  const { code, signal } = exitOf(outcome);
  return { outcome: outcome.kind, exitCode: code, exitSignal: signal, ...reasonOf(outcome) };
}

function reasonOf(outcome: Outcome): { reason: string; text: string } {
  return 'reason' in outcome ? { reason: outcome.reason, text: outcome.text } : { reason: '', text: '' };
}
