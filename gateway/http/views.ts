import type { ApprovalView, EarlierAnswerView } from '../../src/http-api/approvals.ts';
import type { AgentJson, HostJson, RelayJson } from '../../src/http-api/fleet.ts';
import type { ExecutionView } from '../../src/http-api/history.ts';
import type { Status } from '../../src/http-api/status.ts';
import { recordable } from '../../src/recordable-command.ts';
import { toWaiting } from '../events/approval-changes.ts';
import { boundedCommand, boundedConsent, boundedExplanation, boundedNames } from '../lists/bounded-rows.ts';
import { shortText, shortTexts, toTime, withShortTexts } from '../lists/short-texts.ts';
import type { WaitingApproval } from '../ports/events.ts';
import type { ExecutionRecord, ExecutionSummary } from '../ports/execution-record.ts';
import type { EarlierAnswer, PendingApproval, ShownYes } from '../ports/verdict.ts';
import type { AgentView, Explanation, HostView, RelayView, StatusView } from '../ports/warden-api.ts';

// Every text in an answer is bounded, whatever a peer has made of it.

export function toStatus({ startedAt, warnings, ...same }: StatusView): Status {
  return { ...withShortTexts(same), startedAt: toTime(startedAt), warnings: shortTexts(warnings) };
}

export function toExecutionView(record: ExecutionSummary & Partial<ExecutionRecord>): ExecutionView {
  // What runs is there with its plan, which a row does not show.
  const { plan: _plan, operands: _operands, connections: _connections, cut: _cut, ...rest } = record;
  const { receivedAt, decidedAt, startedAt, endedAt, ...same } = rest;
  return {
    ...withShortTexts(same),
    ...boundedCommand(record.cut === undefined ? recordable(record.argv, record.cwd) : record),
    connectionCount: record.connectionCount ?? 0,
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

export function toApprovalView(pending: PendingApproval): ApprovalView {
  return toWaitingView(toWaiting(pending));
}

export function toWaitingView(waiting: WaitingApproval): ApprovalView {
  const { createdAt, expiresAt, command, planBytes, caller: _caller, consent, yeses, ...same } = waiting;
  return {
    ...withShortTexts(same),
    ...boundedCommand(command),
    planBytes,
    ...boundedConsent(consent),
    yeses: yeses.map(toYes),
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
  };
}

export function toEarlierView({ by, reason, askedAt, ...same }: EarlierAnswer): EarlierAnswerView {
  return { ...same, by: shortText(by), reason: shortText(reason), askedAt: toTime(askedAt) };
}

function toYes({ by, via, reason, at, grantMs, counts }: ShownYes): ApprovalView['yeses'][number] {
  const grant = grantMs === undefined ? {} : { grantMinutes: grantMs / 60_000 };
  return { givenBy: by, via, reason: shortText(reason), counts, givenAt: toTime(at), ...grant };
}

export function toAgentJson({ stopped, tools, ...same }: AgentView): AgentJson {
  return {
    ...withShortTexts(same),
    tools: boundedNames(tools),
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

export function toExplanationJson({ code, ...same }: Explanation) {
  return { ...boundedExplanation({ ...same, code }), code: code as '' };
}
