import type {
  Agent,
  Approval,
  Execution,
  ExplainCommandResponse,
  GetOutputResponse,
  GetStatusResponse,
  Grant,
  Host,
  RecordedStream,
  Halt as WireHalt,
  Yes,
} from '../../../src/gen/clawrden/v1/warden.ts';
import type { Consent } from '../../../src/policy/policy.ts';
import { type RecordableCommand, recordable } from '../../../src/recordable-command.ts';
import { firstBytes } from '../../../src/text/first-bytes.ts';
import { questionPlanBytes } from '../../execution/bounded-records.ts';
import { shortText, shortTexts, toTime, withShortTexts } from '../../lists/short-texts.ts';
import type { Halt } from '../../ports/agent-state.ts';
import type { ExecutionRecord, ExecutionSummary } from '../../ports/execution-record.ts';
import type { Grant as HeldGrant } from '../../ports/grant.ts';
import type { Excerpt, RecordedOutput } from '../../ports/recorded-output.ts';
import type { PendingApproval, ShownYes } from '../../ports/verdict.ts';
import type { AgentView, Explanation, HostView, StatusView } from '../../ports/warden-api.ts';

const longPlanBytes = 1024 * 1024;
const mostTools = 200;
const toolBytes = 255;

/** Every text in it is bounded. */
export function toExecution(record: ExecutionRecord): Execution {
  const { plan, operands } = record;
  return {
    ...toExecutionSummary(record),
    plan: Buffer.byteLength(plan) <= questionPlanBytes ? plan : '',
    operands: Buffer.byteLength(operands) <= questionPlanBytes ? operands : '',
  };
}

/** A row of a list. */
export function toExecutionSummary(record: ExecutionSummary): Execution {
  return {
    ...withShortTexts(record),
    ...toCommand(record.cut === undefined ? recordable(record.argv, record.cwd) : record),
    ...{ plan: '', operands: '' },
    receivedAt: toTime(record.receivedAt),
    decidedAt: toTime(record.decidedAt),
    startedAt: toTime(record.startedAt),
    endedAt: toTime(record.endedAt),
    stdoutBytes: BigInt(record.stdoutBytes),
    stderrBytes: BigInt(record.stderrBytes),
  };
}

function toCommand({ argv, cwd, cut }: RecordableCommand): Pick<Execution, 'argv' | 'cwd' | 'cut'> {
  return { argv: [...argv], cwd, cut: cut && { ...cut } };
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
    ...toConsent(consent),
    yeses: yeses.map(toYes),
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
  };
}

function toConsent({ approvals, role, names = [] }: Consent) {
  return { approvals, approverRole: role as string, approverNames: [...names] };
}

function toYes({ by, via, reason, at, grantMs = 0, counts }: ShownYes): Yes {
  const said = { givenBy: by, via, reason: shortText(reason), counts };
  return { ...said, givenAt: toTime(at), grantSeconds: grantMs / 1000 };
}

export function toGrant({
  command,
  by,
  stamps: _stamps,
  since,
  until,
  execution,
  ...same
}: HeldGrant): Grant {
  return {
    ...withShortTexts(same),
    ...toCommand(command),
    executionId: execution,
    givenBy: [...by],
    givenAt: toTime(since === 0 ? undefined : since),
    expiresAt: toTime(until),
  };
}

export function toAgent(view: AgentView): Agent {
  const { stopped, ...same } = view;
  return {
    ...withShortTexts(same),
    tools: view.tools.slice(0, mostTools).map((tool) => firstBytes(tool, toolBytes)),
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

export function toHalt({ stopped, unconfirmed }: Halt): WireHalt {
  return { stopped, unconfirmed: shortTexts(unconfirmed) };
}

export function toStatusView({ startedAt, warnings, ...same }: StatusView): GetStatusResponse {
  return { ...withShortTexts(same), startedAt: toTime(startedAt), warnings: shortTexts(warnings) };
}

export function toExplanation({ questionMs, plan, consent, ...same }: Explanation): ExplainCommandResponse {
  const bytes = Buffer.byteLength(plan);
  const whole = bytes <= longPlanBytes;
  return {
    ...withShortTexts(same),
    ...(whole ? { plan } : { plan: '', problem: `its plan has ${bytes} bytes, too many to be shown` }),
    ...(consent ? toConsent(consent) : { approvals: 0, approverRole: '', approverNames: [] }),
    questionSeconds: Math.ceil(questionMs / 1000),
  };
}
