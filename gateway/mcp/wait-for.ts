import type { ServerContext } from '@modelcontextprotocol/server';
import type { Question, Underway } from '../ports/detached.ts';
import { principalName } from '../ports/principal.ts';
import type { Answer, Task } from './answer.ts';
import { lookOn } from './look-on.ts';
import { stateOf } from './progress-text.ts';
import { resultAnswer } from './result-text.ts';
import type { ServerParts } from './server-parts.ts';
import { type DetailedTask, taskOf } from './task-state.ts';
import { unknownId } from './unknown-id.ts';

export interface Waiting {
  readonly seconds?: number | undefined;
  readonly endsAtQuestion?: boolean;
  /** What has not ended then is a task of its client. */
  readonly asTask?: boolean;
}

/** Answers with the end, or with what is so far. */
export async function waitFor(
  id: string,
  parts: ServerParts,
  context: ServerContext,
  { seconds, endsAtQuestion = false, asTask = false }: Waiting = {},
): Promise<Answer> {
  const { caller, detached, warden, pace, drained } = parts;
  const own = principalName(caller);
  const underway = detached.underway(own, id);
  if (underway === undefined) {
    const result = await detached.result(own, id);
    return result === undefined || result === 'pending' ? unknownId(id) : resultAnswer(id, result, warden);
  }
  const waitMs = seconds === undefined ? pace.waitMs : seconds * 1000;
  const { signal } = context.mcpReq;
  const tell = tellerOf(context, drained);
  const result = await lookOn(underway, { pace, waitMs, signal, tell, endsAtQuestion });
  if (result !== undefined) return resultAnswer(id, result, warden);
  const task = asTask ? await taskOf(id, parts) : undefined;
  return { ...soFar(id, underway), ...(task && { task: toHandle(task) }) };
}

/** Its result is asked for. */
function toHandle({ result: _asked, ...task }: DetailedTask): Task {
  return task;
}

/** It stands in each message. */
const longestToken = 256;

/** Only who asked for progress hears of it. */
function tellerOf({ mcpReq }: ServerContext, drained: ServerParts['drained']) {
  const progressToken = mcpReq._meta?.progressToken;
  const isTold = progressToken !== undefined && String(progressToken).length <= longestToken;
  let progress = 0;
  return async (message: string): Promise<void> => {
    if (!isTold) return;
    await drained();
    progress += 1;
    const params = { progressToken, progress, message };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
}

function soFar(id: string, underway: Underway): Answer {
  const question = underway.question();
  if (question !== undefined) return waitingForPerson(id, question);
  const state = stateOf(underway);
  return { text: [`state: ${state}\nid: ${id}\nIt goes on. Call await_execution with this id for its end.`] };
}

function waitingForPerson(id: string, { approvalId, expires }: Question): Answer {
  const lines = [
    'state: waiting for a person',
    `id: ${id}`,
    `approval: ${approvalId}`,
    `expires: ${expires.toISOString()}`,
    'A person decides whether it runs; you cannot. Call await_execution with this id to hear of it, and do not execute it again.',
  ];
  return { text: [lines.join('\n')] };
}
