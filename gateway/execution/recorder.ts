import { type ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import { exitOf, failure, type Outcome } from '../../src/outcome.ts';
import type { Operand } from '../../src/plan.ts';
import { recordable } from '../../src/recordable-command.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DecisionRecord, IncidentRecord, OutcomeRecord, StartRecord } from '../audit/audit-record.ts';
import type { Judged } from '../judging/judged.ts';
import type { SealedPlan } from '../judging/seal-plan.ts';
import type { StartRequest } from '../ports/channel.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { RecordedVerdict } from '../ports/verdict.ts';
import type { Outputs } from '../store/outputs.ts';
import { recordableOperands, recordablePlan, recordableText } from './bounded-records.ts';
import type { DecidedFacts, EndFacts, Execution } from './execution.ts';
import type { OutputTotals } from './output-tally.ts';
import type { Refusals } from './refusals.ts';

/**
 * Writes each step of an execution to the audit and to the history. When a promise has resolved, its record is on the
 * disk.
 */
export interface Recorder {
  /**
   * Writes the only decision record; if refusals come too fast, they are only counted. Throws `audit-unwritable`:
   * then nothing may run.
   */
  readonly decided: (execution: Execution, judged: Judged) => Promise<void>;
  readonly verdict: (execution: Execution, approvalId: string, verdict: RecordedVerdict) => Promise<void>;
  /**
   * Records the plan again, because its scripts change it, and the host that says what they are; empty if none looked.
   * Throws `audit-unwritable`.
   */
  readonly inspected: (execution: Execution, sealed: SealedPlan, host: string) => Promise<void>;
  /** Only the first counts. */
  readonly started: (execution: Execution, operands: readonly Operand[]) => void;
  /** Written later: nothing depends on it, and the answer does not wait for the disk. */
  readonly ended: (execution: Execution, outcome: Outcome) => void;
  /** A request that never became an execution. */
  readonly refused: (caller: Principal, request: StartRequest, error: ClawrdenError) => Promise<Outcome>;
}

/** Refusals that no honest caller gets. */
const incidents: ReadonlySet<string> = new Set(['identity-agent', 'identity-mismatch', 'socket-replaced']);

export function createRecorder(
  audit: AuditLog,
  refusals: Refusals,
  outputs: Outputs,
  policyHash: () => string,
): Recorder {
  /** Refused, and only counted: the history does not list them either. */
  const folded = new WeakSet<Execution>();
  const begun = new WeakSet<Execution>();

  async function keepDecision(decision: DecisionRecord): Promise<void> {
    await audit.append(decision);
    if (incidents.has(decision.code)) await audit.append(incidentRecord(decision));
  }

  return {
    decided: async (execution, judged) => {
      const fields = decidedFields(execution, judged);
      const { code = '' } = judged.decision;
      const decision = decisionRecord({ ...execution.record, ...fields }, code, judged.policyHash);
      if (decision.decision === 'deny' && !refusals.admit(decision)) {
        folded.add(execution);
      } else {
        execution.decided(fields);
        await keepDecision(decision);
      }
      execution.trace.mark('decided');
    },
    verdict: (execution, approval, { grantBy: _asked, givers: _givers, ...verdict }) => {
      const { planHash } = execution.record;
      return audit.append({ type: 'verdict', ...idsOf(execution), approval, ...verdict, planHash });
    },
    inspected: (execution, { plan, canonical, hash: planHash }, host) => {
      execution.replanned(recordablePlan(canonical), planHash);
      execution.trace.mark('inspected');
      const where = { ...idsOf(execution), ...(host !== '' && { host }) };
      const operands = recordableOperands(plan.operands ?? []);
      return audit.append({ type: 'inspection', ...where, operands, planHash });
    },
    started: (execution, found) => {
      if (begun.has(execution)) return;
      begun.add(execution);
      const operands = recordableOperands(found);
      if (operands.length > 0) execution.ran(JSON.stringify(operands));
      // The decision is already on the disk; if the disk fills up now, the next decision is refused.
      audit.append(startRecord(execution, operands)).catch(() => {});
    },
    ended: (execution, outcome) => {
      if (folded.has(execution)) return;
      const totals = execution.output.totals();
      const { stdoutBytes, stderrBytes } = totals;
      execution.ended({ stdoutBytes, stderrBytes, ...endFields(outcome) });
      audit.append(outcomeRecord(execution, outcome, totals)).catch(() => {});
      keepOutput(outputs, execution);
    },
    refused: async (caller, request, error) => {
      const outcome = failure(error.code, error.message);
      const decision = refusalRecord(caller, request, error, policyHash());
      return refusals.admit(decision) ? keepDecision(decision).then(() => outcome, unrecorded) : outcome;
    },
  };
}

function keepOutput(outputs: Outputs, { record, output }: Execution): void {
  const recorded = output.recorded();
  if (recorded !== undefined) outputs.save(record, recorded);
  const timed = output.timed();
  if (timed !== undefined) void outputs.recordings.save(record, timed.recording()).then(timed.release);
}

/** For a request that never became an execution. */
function refusalRecord(
  caller: Principal,
  { executionId: execution, agent, identity, command }: StartRequest,
  { code, message: reason }: ClawrdenError,
  policyHash: string,
): DecisionRecord {
  const { uid = 0, gid = 0 } = identity ?? {};
  const { tool, args, cwd } = command;
  return {
    ...{ type: 'decision', execution, caller: principalName(caller), agent, decision: 'deny' },
    ...{ rule: code, reason, code, ...recordable([tool, ...args], cwd), uid, gid },
    ...{ strategy: '', planHash: '', policyHash },
  };
}

function startRecord(execution: Execution, operands: readonly Operand[]): StartRecord {
  const { host, container, planHash, approver } = execution.record;
  const by = approver === '' ? {} : { approver };
  const ran = operands.length === 0 ? {} : { operands };
  return { type: 'start', ...idsOf(execution), host, container, planHash, ...by, ...ran };
}

function incidentRecord({ execution, caller, agent, code, reason }: DecisionRecord): IncidentRecord {
  const whose = agent === '' ? '' : ` for agent ${agent}`;
  return { type: 'incident', incident: code, caller, text: `execution ${execution}${whose}: ${reason}` };
}

function decidedFields({ record }: Execution, { decision, cleared, sealed }: Judged): DecidedFacts {
  return {
    decision: decision.action,
    rule: decision.rule,
    decisionReason: decision.reason,
    strategy: sealed?.plan.strategy ?? decision.tool?.strategy ?? '',
    decidedAt: Date.now(),
    planHash: sealed?.hash ?? '',
    plan: recordablePlan(sealed?.canonical ?? ''),
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

function decisionRecord(record: ExecutionRecord, code: string, policyHash: string): DecisionRecord {
  const { argv, cwd, cut, uid, gid, rule, strategy, planHash } = record;
  const decision = record.decision || 'deny';
  const what = { argv, cwd, ...(cut && { cut }), uid, gid, strategy, planHash, policyHash };
  return {
    type: 'decision',
    ...{ execution: record.id, caller: record.caller, agent: record.agent },
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

function endFields(outcome: Outcome): Omit<EndFacts, 'stdoutBytes' | 'stderrBytes'> {
  const { code, signal } = exitOf(outcome);
  return { outcome: outcome.kind, exitCode: code, exitSignal: signal, ...reasonOf(outcome) };
}

function reasonOf(outcome: Outcome): { reason: string; text: string } {
  if (!('reason' in outcome)) return { reason: '', text: '' };
  return { reason: outcome.reason, text: recordableText(outcome.text) };
}
