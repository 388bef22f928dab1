import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, deadline, onAbort } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { failure, type Outcome } from '../../src/outcome.ts';
import type { Plan } from '../../src/plan.ts';
import { renderBytes } from '../../src/text/render-text.ts';
import type { Execution } from '../execution/execution.ts';
import type { NotHome, Visit } from '../workspaces/visit.ts';

/** A person waits for the end of what was stopped. */
const stoppedWithinMs = 30_000;

/**
 * Everything that the tool wrote is at home before its outcome goes out. If files of it met changes of the agent's, or
 * did not come, the command did not do what its exit code says.
 */
export async function bringHome(
  outcome: Outcome,
  visit: Visit | undefined,
  execution: Execution,
): Promise<Outcome> {
  if (visit === undefined) return outcome;
  using until = untilStopped(execution);
  const notHome = await visit.bringHome(until.signal);
  execution.trace.mark('home');
  execution.signal.throwIfAborted();
  const [first, ...more] = notHome === undefined ? [] : toldOf(notHome);
  if (first === undefined) return outcome;
  const isDone = outcome.kind === 'exited' && outcome.code === 0 && outcome.signal === 0;
  for (const { code, text } of isDone ? more : [first, ...more])
    void execution.send({ type: 'notice', text: `${code}: ${text}` });
  return isDone ? failure(first.code, first.text) : outcome;
}

/**
 * What a tool wrote that was stopped is at home as it would be on one disk; not that of a halted agent. What does not
 * come by then is kept at the next command.
 */
export async function bringHomeStopped(visit: Visit, execution: Execution): Promise<void> {
  if (execution.halted.aborted) return;
  const late = () => new ClawrdenError('workspace-unreachable', 'the exchange took too long');
  using stopped = untilStopped(execution);
  using until = deadline(stoppedWithinMs, late, stopped.signal);
  await visit.bringHome(until.signal).catch(() => {});
}

/** Changes go both ways, again and again, until it is disposed of. */
export function exchangeLive(
  { liveMs }: Plan,
  visit: Visit | undefined,
  execution: Execution,
): AsyncDisposable | undefined {
  if (liveMs === undefined || visit === undefined) return undefined;
  const ended = new AbortController();
  const loop = async () => {
    while (!ended.signal.aborted) {
      await sleep(liveMs, undefined, { signal: ended.signal }).catch(() => {});
      // What fails now is tried again; the exchange at the end tells.
      if (!ended.signal.aborted) await exchangeOnce(visit, execution).catch(() => {});
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
function untilStopped({ signal, halted }: Execution): Deadline {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const listening = onAbort(signal, () => {
    timer = setTimeout(() => late.abort(signal.reason), stoppedWithinMs);
  });
  return {
    signal: AbortSignal.any([halted, late.signal]),
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      listening[Symbol.dispose]();
    },
  };
}

/** It takes its time: to cut it while nobody stops the command would end both carriers, each time. */
async function exchangeOnce(visit: Visit, execution: Execution): Promise<void> {
  using until = untilStopped(execution);
  await visit.exchange(until.signal);
}

interface Told {
  readonly code: 'workspace-conflict' | 'workspace-unstable' | 'workspace-limit';
  readonly text: string;
}

function toldOf({ agent, refused, unstable, notCarried }: NotHome): Told[] {
  const told: Told[] = [];
  if (refused > 0) told.push({ code: 'workspace-conflict', text: conflictText(agent, refused) });
  if (unstable.length > 0) told.push({ code: 'workspace-unstable', text: unstableText(unstable) });
  if (notCarried.length > 0) told.push({ code: 'workspace-limit', text: notCarriedText(notCarried) });
  return told;
}

function conflictText(agent: string, count: number): string {
  const files = count === 1 ? '1 file was' : `${count} files were`;
  return `${files} changed here meanwhile; yours stay, the command's are kept: clawrden workspace conflicts ${agent}`;
}

function unstableText(paths: readonly Buffer[]): string {
  return `${namesOf(paths)} did not come home, for something goes on changing it; the next command keeps it`;
}

function notCarriedText(paths: readonly Buffer[]): string {
  return `${namesOf(paths)} did not come home and stays on the Docker host: it is larger or deeper than is carried, or has a name that is not`;
}

function namesOf([first = Buffer.alloc(0), ...more]: readonly Buffer[]): string {
  return `${renderBytes(first)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}
