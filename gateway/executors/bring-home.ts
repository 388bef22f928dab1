import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, deadline, onAbort } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { failure, type Outcome } from '../../src/outcome.ts';
import type { Plan } from '../../src/plan.ts';
import { Halted } from '../control/kill-switch.ts';
import type { Execution } from '../execution/execution.ts';
import type { NotTaken, Visit } from '../workspaces/follow.ts';

/** A person waits for the end of what was stopped. */
const stoppedWithinMs = 30_000;

/**
 * Everything that the tool wrote is at home before its outcome goes out. If files of it met changes of the agent's, the
 * command did not do what its exit code says.
 */
export async function bringHome(
  outcome: Outcome,
  visit: Visit | undefined,
  execution: Execution,
): Promise<Outcome> {
  if (visit === undefined) return outcome;
  using until = untilStopped(execution.signal);
  const conflict = await visit.bringHome(until.signal);
  execution.trace.mark('home');
  execution.signal.throwIfAborted();
  if (conflict === undefined) return outcome;
  const text = conflictText(conflict);
  if (outcome.kind === 'exited' && outcome.code === 0 && outcome.signal === 0)
    return failure('workspace-conflict', text);
  void execution.send({ type: 'notice', text: `workspace-conflict: ${text}` });
  return outcome;
}

/**
 * What a tool wrote that was stopped is at home as it would be on one disk; not that of a halted agent. What does not
 * come by then is kept at the next command.
 */
export async function bringHomeStopped(visit: Visit, reason: unknown, signal: AbortSignal): Promise<void> {
  if (reason instanceof Halted) return;
  await withinStop(signal, visit.bringHome).catch(() => {});
}

/** Changes go both ways, again and again, until it is disposed of. */
export function exchangeLive(
  { liveMs }: Plan,
  visit: Visit | undefined,
  signal: AbortSignal,
): AsyncDisposable | undefined {
  if (liveMs === undefined || visit === undefined) return undefined;
  const ended = new AbortController();
  const loop = async () => {
    while (!ended.signal.aborted) {
      await sleep(liveMs, undefined, { signal: ended.signal }).catch(() => {});
      // What fails now is tried again; the exchange at the end tells.
      if (!ended.signal.aborted) await withinStop(signal, visit.exchange).catch(() => {});
    }
  };
  const looping = loop();
  return {
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await looping;
    },
  };
}

/**
 * Aborts at once when the agent is halted. After any other stop there is time: to cut an exchange would set aside what
 * the tool wrote.
 */
function untilStopped(signal: AbortSignal): Deadline {
  const stop = new AbortController();
  const end = () => stop.abort(signal.reason);
  let timer: NodeJS.Timeout | undefined;
  const listening = onAbort(signal, () => {
    if (signal.reason instanceof Halted) end();
    else timer = setTimeout(end, stoppedWithinMs);
  });
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      listening[Symbol.dispose]();
    },
  };
}

async function withinStop<T>(signal: AbortSignal, work: (until: AbortSignal) => Promise<T>): Promise<T> {
  const late = () => new ClawrdenError('workspace-unreachable', 'the exchange took too long');
  using stopped = untilStopped(signal);
  using until = deadline(stoppedWithinMs, late, stopped.signal);
  return await work(until.signal);
}

function conflictText({ agent, count }: NotTaken): string {
  const files = count === 1 ? '1 file was' : `${count} files were`;
  return `${files} changed here meanwhile; yours stay, the command's are kept: clawrden workspace conflicts ${agent}`;
}
