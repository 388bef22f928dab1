import { verifiedRecord } from '../../../src/audit/chain.ts';
import type { LogLine } from '../../../src/audit/read-from.ts';
import type {
  Agent,
  Approval,
  AuditLine,
  Execution,
  ExplainCommandResponse,
  GetOutputResponse,
  GetStatusResponse,
  Grant,
  Host,
  RecordedStream,
  Relay,
  Halt as WireHalt,
  Yes,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { type RecordableCommand, recordable } from '../../../src/recordable-command.ts';
import { questionPlanBytes } from '../../execution/bounded-records.ts';
import {
  boundedCommand,
  boundedConsent,
  boundedExplanation,
  boundedGrant,
  boundedNames,
} from '../../lists/bounded-rows.ts';
import { shortText, shortTexts, toTime, withShortTexts } from '../../lists/short-texts.ts';
import type { Halt } from '../../ports/agent-state.ts';
import type { ExecutionRecord, ExecutionSummary } from '../../ports/execution-record.ts';
import type { Grant as HeldGrant } from '../../ports/grant.ts';
import type { Excerpt, RecordedOutput } from '../../ports/recorded-output.ts';
import type { PendingApproval, ShownYes } from '../../ports/verdict.ts';
import type { AgentView, Explanation, HostView, RelayView, StatusView } from '../../ports/warden-api.ts';

/** Every text in it is bounded. */
export function toExecution(record: ExecutionRecord): Execution {
  const { plan, operands, connections = '' } = record;
  return {
    ...toExecutionSummary(record),
    plan: Buffer.byteLength(plan) <= questionPlanBytes ? plan : '',
    operands: Buffer.byteLength(operands) <= questionPlanBytes ? operands : '',
    connections: Buffer.byteLength(connections) <= questionPlanBytes ? connections : '',
  };
}

/** A row of a list. */
export function toExecutionSummary(record: ExecutionSummary): Execution {
  return {
    ...withShortTexts(record),
    ...toCommand(record.cut === undefined ? recordable(record.argv, record.cwd) : record),
    ...{ plan: '', operands: '', connections: '' },
    receivedAt: toTime(record.receivedAt),
    decidedAt: toTime(record.decidedAt),
    startedAt: toTime(record.startedAt),
    endedAt: toTime(record.endedAt),
    stdoutBytes: BigInt(record.stdoutBytes),
    stderrBytes: BigInt(record.stderrBytes),
    connectionCount: record.connectionCount ?? 0,
  };
}

function toCommand(command: RecordableCommand): Pick<Execution, 'argv' | 'cwd' | 'cut'> {
  return { cut: undefined, ...boundedCommand(command) };
}

export function toOutput(id: string, output: RecordedOutput | undefined): GetOutputResponse {
  return { id, stdout: output && toStream(output.stdout), stderr: output && toStream(output.stderr) };
}

function toStream({ head, dropped, tail }: Excerpt): RecordedStream {
  return { head: Buffer.from(head), dropped: BigInt(dropped), tail: Buffer.from(tail) };
}

/** A row of a list. */
export function toApproval(pending: PendingApproval): Approval {
  const { createdAt, expiresAt, command, plan, caller: _caller, consent, yeses, ...same } = pending;
  return {
    ...withShortTexts(same),
    ...toCommand(command),
    ...{ plan: '', planBytes: Buffer.byteLength(plan) },
    ...boundedConsent(consent),
    yeses: yeses.map(toYes),
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
  };
}

function toYes({ by, via, reason, at, grantMs = 0, counts }: ShownYes): Yes {
  const said = { givenBy: by, via, reason: shortText(reason), counts };
  return { ...said, givenAt: toTime(at), grantSeconds: grantMs / 1000 };
}

export function toGrant(grant: HeldGrant): Grant {
  return { cut: undefined, givenAt: '', ...boundedGrant(grant) };
}

export function toAgent(view: AgentView): Agent {
  const { stopped, ...same } = view;
  return {
    ...withShortTexts(same),
    tools: boundedNames(view.tools),
    refused: stopped?.state === 'refused',
    paused: stopped?.state === 'paused',
    killed: stopped?.state === 'killed',
    heldBy: stopped?.by ?? '',
    heldReason: shortText(stopped?.reason ?? ''),
    heldSince: toTime(stopped?.since),
  };
}

export function toHost(view: HostView): Host {
  const { workspaceBytes, ...same } = view;
  return { ...withShortTexts(same), labels: { ...view.labels }, workspaceBytes: BigInt(workspaceBytes) };
}

export function toRelay({ since, ...same }: RelayView): Relay {
  return { ...withShortTexts(same), connectedAt: toTime(since) };
}

export function toAuditLine({ seq, text }: LogLine): AuditLine {
  const isRecord = verifiedRecord(text) !== undefined;
  return { seq: BigInt(seq), record: isRecord ? text : '', damaged: isRecord ? '' : shortText(text) };
}

export function toHalt({ stopped, unconfirmed }: Halt): WireHalt {
  return { stopped, unconfirmed: shortTexts(unconfirmed) };
}

export function toStatusView({ startedAt, warnings, ...same }: StatusView): GetStatusResponse {
  return { ...withShortTexts(same), startedAt: toTime(startedAt), warnings: shortTexts(warnings) };
}

export function toExplanation(explanation: Explanation): ExplainCommandResponse {
  return {
    approvals: 0,
    approverRole: '',
    approverNames: [],
    answerIn: [],
    ...boundedExplanation(explanation),
  };
}
