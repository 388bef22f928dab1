import { ClawrdenError } from '../../../src/errors.ts';
import { exitCodes } from '../../../src/exit-codes.ts';
import type { FinishedExecution, OutcomeView } from '../../../src/http-api/executions.ts';
import type { Routes } from '../../../src/http-api/routes.ts';
import type { Outcome } from '../../../src/outcome.ts';
import type { Execute } from '../../execute.ts';
import type { ToCaller } from '../../ports/channel.ts';
import type { Call } from '../add-routes.ts';
import { coded, HttpRefused, ProblemThrown } from '../problem.ts';
import { createCapture } from './capture.ts';
import { createEventStream } from './event-stream.ts';
import { HttpChannel } from './http-channel.ts';
import { toStart, type Wanted } from './to-start.ts';

type RunCall = Call<Routes['runExecution']>;

/** Runs a command for a caller who waits for it, or reads along; who goes away cancels it. */
export async function runExecution(execute: Execute, call: RunCall): Promise<FinishedExecution | undefined> {
  const wanted = toStart(call.body);
  const streams = wantsStream(call.request.headers.accept);
  call.reply.header('location', `/api/v1/executions/${wanted.start.executionId}`);
  using caller = watchCaller(call);
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
  const output = { stdout: createCapture(), stderr: createCapture() };
  const place = { planHash: '', host: '', container: '', hasStarted: false };
  const take = (item: ToCaller) => {
    if (item.type === 'stdout' || item.type === 'stderr') output[item.type].add(item.bytes);
    note(place, item);
    return undefined;
  };
  const { executionId: id, agent } = wanted.start;
  const outcome = await execute(call.caller, wanted.start, new HttpChannel(gone, wanted.input, take));
  refuseIfItNeverStarted(place.hasStarted, outcome, id);
  const { planHash, host, container } = place;
  const [stdout, stderr] = [output.stdout.view(), output.stderr.view()];
  return { id, agent, planHash, host, container, outcome: toOutcomeView(outcome), stdout, stderr };
}

async function stream(
  execute: Execute,
  call: RunCall,
  wanted: Wanted,
  gone: AbortSignal,
): Promise<undefined> {
  const { reply } = call;
  using events = createEventStream(reply.raw, reply.getHeaders() as Record<string, string>);
  const place = { planHash: '', host: '', container: '', hasStarted: false };
  const take = (item: ToCaller) => {
    note(place, item);
    return events.take(item);
  };
  const outcome = await execute(call.caller, wanted.start, new HttpChannel(gone, wanted.input, take));
  const { executionId: id } = wanted.start;
  if (!events.hasBegun()) refuseIfItNeverStarted(place.hasStarted, outcome, id);
  reply.hijack();
  events.end({ type: 'outcome', id, outcome: toOutcomeView(outcome) });
}

interface Place {
  planHash: string;
  host: string;
  container: string;
  hasStarted: boolean;
}

function note(place: Place, item: ToCaller): void {
  if (item.type === 'accepted' || item.type === 'pending') place.planHash = item.planHash;
  if (item.type !== 'started') return;
  place.hasStarted = true;
  place.host = item.host;
  place.container = item.container;
}

/** What the tool did is an outcome; if there was no tool, the request has failed. */
function refuseIfItNeverStarted(hasStarted: boolean, outcome: Outcome, id: string): void {
  if (hasStarted || !('reason' in outcome)) return;
  const { problem, headers } = coded(outcome.reason, outcome.text);
  throw new ProblemThrown({ problem: { ...problem, execution: id }, headers });
}

function toOutcomeView(outcome: Outcome): OutcomeView {
  switch (outcome.kind) {
    case 'exited':
    case 'interrupted': {
      const code = outcome.kind === 'exited' ? outcome.code : 0;
      const { kind, signal } = outcome;
      return { kind, signal, exitCode: signal === 0 ? code : 128 + signal };
    }
    case 'started':
      return { kind: 'started', exitCode: 0, signal: 0 };
    default: {
      const { kind, reason, text } = outcome;
      return { kind, exitCode: exitCodes[reason], signal: 0, reason, text };
    }
  }
}

function wantsStream(accept = '*/*'): boolean {
  const types = accept.split(',').map((each) => each.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  if (types.includes('application/x-ndjson')) return true;
  if (types.some((type) => ['application/json', 'application/*', '*/*'].includes(type))) return false;
  throw new HttpRefused(406, 'an execution is told as application/json or as application/x-ndjson');
}

const checkMs = 2000;

/** Aborts when the caller's connection ends, or when its token counts no more. */
function watchCaller({ reply, check }: RunCall): { readonly gone: AbortSignal } & Disposable {
  const gone = new AbortController();
  const response = reply.raw;
  const left = () => gone.abort(new ClawrdenError('requester-gone', 'the caller went away'));
  const look = () => {
    const checked = check();
    if ('refused' in checked) gone.abort(new ClawrdenError('canceled', checked.refused));
  };
  if (response.destroyed) left();
  response.once('close', left);
  const timer = setInterval(look, checkMs).unref();
  return {
    gone: gone.signal,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      response.off('close', left);
    },
  };
}
