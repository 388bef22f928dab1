import { ClawrdenError } from '../../../src/errors.ts';
import type { FinishedExecution } from '../../../src/http-api/executions.ts';
import type { Routes } from '../../../src/http-api/routes.ts';
import type { Execute } from '../../execute.ts';
import { gatherResult } from '../../execution/gather-result.ts';
import { WholeInput } from '../../execution/whole-input.ts';
import type { ToCaller } from '../../ports/channel.ts';
import type { Call } from '../add-routes.ts';
import { HttpRefused } from '../problem.ts';
import { watchCaller } from '../watch-caller.ts';
import { createEventStream } from './event-stream.ts';
import { refuseIfItNeverStarted, toFinished, toOutcomeView } from './to-finished.ts';
import { toStart, type Wanted } from './to-start.ts';

type RunCall = Call<Routes['runExecution']>;

/** Runs a command for a caller who waits for it, or reads along; who goes away cancels it. */
export async function runExecution(execute: Execute, call: RunCall): Promise<FinishedExecution | undefined> {
  const wanted = toStart(call);
  const streams = wantsStream(call.request.headers.accept);
  call.reply.header('location', `/api/v1/executions/${wanted.start.executionId}`);
  using caller = watchCaller(call.reply.raw, call.check, (why, gone) =>
    gone.abort(new ClawrdenError('canceled', why)),
  );
  const { gone } = caller;
  // Awaited: the caller is watched until then.
  return await (streams ? stream(execute, call, wanted, gone) : wait(execute, call, wanted, gone));
}

async function wait(
  execute: Execute,
  call: RunCall,
  wanted: Wanted,
  gone: AbortSignal,
): Promise<FinishedExecution> {
  const gathered = gatherResult();
  const { executionId: id, agent } = wanted.start;
  const outcome = await execute(call.caller, wanted.start, new WholeInput(gone, wanted.input, gathered.take));
  return toFinished({ id, agent }, gathered.result(outcome));
}

async function stream(
  execute: Execute,
  call: RunCall,
  wanted: Wanted,
  gone: AbortSignal,
): Promise<undefined> {
  const { reply } = call;
  using events = createEventStream(reply.raw, reply.getHeaders() as Record<string, string>);
  let hasStarted = false;
  const take = (item: ToCaller) => {
    hasStarted ||= item.type === 'started';
    return events.take(item);
  };
  const outcome = await execute(call.caller, wanted.start, new WholeInput(gone, wanted.input, take));
  const { executionId: id } = wanted.start;
  if (!events.hasBegun()) refuseIfItNeverStarted(hasStarted, outcome, id);
  reply.hijack();
  events.end({ type: 'outcome', id, outcome: toOutcomeView(outcome) });
}

function wantsStream(accept = '*/*'): boolean {
  const types = accept.split(',').map((each) => each.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  if (types.includes('application/x-ndjson')) return true;
  if (types.some((type) => ['application/json', 'application/*', '*/*'].includes(type))) return false;
  throw new HttpRefused(406, 'an execution is told as application/json or as application/x-ndjson');
}
