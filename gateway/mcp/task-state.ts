import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ExecutionResult, Underway } from '../ports/detached.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { principalName } from '../ports/principal.ts';
import { detachedLimits } from '../store/detached-rows.ts';
import type { Task } from './answer.ts';
import { stateOf } from './progress-text.ts';
import { resultAnswer } from './result-text.ts';
import type { ServerParts } from './server-parts.ts';
import { toResult } from './to-result.ts';

export interface DetailedTask extends Task {
  /** Of one that is completed. */
  readonly result?: CallToolResult;
}

/** Undefined if it is not one of the caller's, or if nothing of it is kept any more. */
export async function taskOf(id: string, parts: ServerParts): Promise<DetailedTask | undefined> {
  const state = await stateNow(id, parts);
  const record = await parts.warden.execution(id, principalName(parts.caller));
  if (state === undefined || record === undefined) return undefined;
  return { taskId: id, ...state, ...timesOf(record), pollIntervalMs: parts.pace.pollMs };
}

type State = Pick<DetailedTask, 'status' | 'statusMessage' | 'result'>;

async function stateNow(id: string, { caller, detached, warden }: ServerParts): Promise<State | undefined> {
  const own = principalName(caller);
  const underway = detached.underway(own, id);
  if (underway !== undefined) return { status: 'working', statusMessage: progressOf(underway) };
  const result = await detached.result(own, id);
  return result === undefined || result === 'pending' ? undefined : endOf(id, result, warden);
}

function endOf(id: string, result: ExecutionResult, warden: ServerParts['warden']): State {
  const { outcome } = result;
  if (outcome.kind === 'canceled') return { status: 'cancelled', statusMessage: outcome.text };
  // The whole of what `execute` would have been answered, as it is on the wire of 2026-07-28.
  const answer = { ...toResult(resultAnswer(id, result, warden)), resultType: 'complete' };
  return { status: 'completed', statusMessage: 'ended', result: answer };
}

/** A person's answer is never the client's, so a question is no request for its input. */
function progressOf(underway: Underway): string {
  const state = stateOf(underway);
  const question = underway.question();
  if (question === undefined) return state;
  return `${state}, until ${question.expires.toISOString()}: approval ${question.approvalId}. You cannot answer it.`;
}

function timesOf({ receivedAt, decidedAt, startedAt, endedAt }: ExecutionRecord) {
  const iso = (at: number) => new Date(at).toISOString();
  return {
    createdAt: iso(receivedAt),
    lastUpdatedAt: iso(endedAt ?? startedAt ?? decidedAt ?? receivedAt),
    ttlMs: endedAt === undefined ? null : endedAt + detachedLimits.keepMs - receivedAt,
  };
}
