import type { ApprovalView } from '../../src/http-api/approvals.ts';
import type { AgentJson, HostJson, RelayJson } from '../../src/http-api/fleet.ts';
import type { GrantView } from '../../src/http-api/grants.ts';
import type { ExecutionView } from '../../src/http-api/history.ts';
import type { Status } from '../../src/http-api/status.ts';
import type { ToolJson } from '../../src/http-api/tools.ts';
import type { Consent } from '../../src/policy/policy.ts';
import { type RecordableCommand, recordable } from '../../src/recordable-command.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';
import { toWaiting } from '../events/approval-changes.ts';
import { shortText, shortTexts, toTime, withShortTexts } from '../lists/short-texts.ts';
import type { WaitingApproval } from '../ports/events.ts';
import type { ExecutionRecord, ExecutionSummary } from '../ports/execution-record.ts';
import type { Grant } from '../ports/grant.ts';
import type { ToolView } from '../ports/tool-view.ts';
import type { PendingApproval, ShownYes } from '../ports/verdict.ts';
import type { AgentView, Explanation, HostView, RelayView, StatusView } from '../ports/warden-api.ts';

const mostTools = 200;
const toolBytes = 255;
const mostRules = 200;
const longPlanBytes = 1024 * 1024;

// Every text in an answer is bounded, whatever a peer has made of it.

export function toStatus({ startedAt, warnings, ...same }: StatusView): Status {
  return { ...withShortTexts(same), startedAt: toTime(startedAt), warnings: shortTexts(warnings) };
}

export function toExecutionView(record: ExecutionSummary & Partial<ExecutionRecord>): ExecutionView {
  // What runs is there with its plan, which a row does not show.
  const { plan: _plan, operands: _operands, cut: _cut, ...rest } = record;
  const { receivedAt, decidedAt, startedAt, endedAt, ...same } = rest;
  return {
    ...withShortTexts(same),
    ...toCommand(record.cut === undefined ? recordable(record.argv, record.cwd) : record),
    receivedAt: toTime(receivedAt),
    ...reached({ decidedAt, startedAt, endedAt }),
  };
}

/** Times that are there. */
function reached<Key extends string>(times: Record<Key, number | undefined>): Partial<Record<Key, string>> {
  const entries = Object.entries<number | undefined>(times).filter(([, time]) => time !== undefined);
  return Object.fromEntries(entries.map(([key, time]) => [key, toTime(time)])) as Partial<
    Record<Key, string>
  >;
}

function toCommand({ argv, cwd, cut }: RecordableCommand): Pick<ExecutionView, 'argv' | 'cwd' | 'cut'> {
  return { argv: [...argv], cwd, ...(cut && { cut: { ...cut } }) };
}

export function toApprovalView(pending: PendingApproval): ApprovalView {
  return toWaitingView(toWaiting(pending));
}

export function toWaitingView(waiting: WaitingApproval): ApprovalView {
  const { createdAt, expiresAt, command, planBytes, caller: _caller, consent, yeses, ...same } = waiting;
  return {
    ...withShortTexts(same),
    ...toCommand(command),
    planBytes,
    ...toConsent(consent),
    yeses: yeses.map(toYes),
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
  };
}

function toConsent({ approvals, role, names = [] }: Consent) {
  return { approvals, approverRole: role, approverNames: [...names] };
}

function toYes({ by, via, reason, at, grantMs, counts }: ShownYes): ApprovalView['yeses'][number] {
  const grant = grantMs === undefined ? {} : { grantMinutes: grantMs / 60_000 };
  return { givenBy: by, via, reason: shortText(reason), counts, givenAt: toTime(at), ...grant };
}

export function toGrantView({
  command,
  by,
  stamps: _stamps,
  since,
  until,
  execution,
  ...same
}: Grant): GrantView {
  return {
    ...withShortTexts(same),
    ...toCommand(command),
    executionId: execution,
    givenBy: [...by],
    ...(since > 0 && { givenAt: toTime(since) }),
    expiresAt: toTime(until),
  };
}

export function toAgentJson({ stopped, tools, ...same }: AgentView): AgentJson {
  return {
    ...withShortTexts(same),
    tools: tools.slice(0, mostTools).map((tool) => firstBytes(tool, toolBytes)),
    state: stopped?.state ?? 'active',
    ...(stopped && {
      stoppedBy: stopped.by,
      stoppedReason: shortText(stopped.reason),
      stoppedSince: toTime(stopped.since),
    }),
  };
}

export function toHostJson(view: HostView): HostJson {
  return { ...withShortTexts(view), labels: { ...view.labels } };
}

export function toRelayJson({ since, ...same }: RelayView): RelayJson {
  return { ...withShortTexts(same), ...(since !== undefined && { connectedAt: toTime(since) }) };
}

export function toToolJson({ timeoutMs, rules: _rules, ...same }: ToolView): ToolJson {
  return { ...withShortTexts(same), timeoutSeconds: Math.ceil(timeoutMs / 1000) };
}

export function toWholeTool(view: ToolView) {
  return { ...toToolJson(view), rules: view.rules.slice(0, mostRules).map(withShortTexts) };
}

export function toExplanationJson({ questionMs, plan, code, consent, ...same }: Explanation) {
  const bytes = Buffer.byteLength(plan);
  const whole = bytes <= longPlanBytes;
  return {
    ...withShortTexts(same),
    code: code as '',
    ...(whole ? { plan } : { plan: '', problem: `its plan has ${bytes} bytes, too many to be shown` }),
    ...(consent && toConsent(consent)),
    questionSeconds: Math.ceil(questionMs / 1000),
  };
}
