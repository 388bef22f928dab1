import { ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import type { Output, Send } from '../../src/execution-io.ts';
import { outcomeOfEnd } from '../../src/init-client/init-end.ts';
import { initPlanOf } from '../../src/init-client/init-plan.ts';
import type { InitSession } from '../../src/init-client/init-session.ts';
import { encodePlan } from '../../src/init-client/plan-encoding.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Plan } from '../../src/plan.ts';
import type { FromCaller } from '../channel.ts';
import type { Ghost } from '../engine.ts';
import type { Execution } from '../execution.ts';
import { shapeOf } from '../ghost-shape.ts';
import type { DockerHost } from '../scheduler/docker-host.ts';
import type { Lease, Scheduler } from '../scheduler/scheduler.ts';
import type { Executor } from './executor.ts';

/** The init has 2 s from TERM to KILL; a ghost that is still silent a second later is taken away under it. */
const cancelGraceMs = 3_000;

export interface GhostParts {
  readonly scheduler: Scheduler;
  readonly startTimeoutMs: number;
  /** Labels that the hosts of an agent must carry. */
  readonly labelsOf: (agent: string) => Readonly<Record<string, string>>;
  readonly recordStart: (execution: Execution) => void;
  /** An engine stopped answering in mid-work. */
  readonly onHostLost: (host: DockerHost) => void;
}

interface Placed {
  readonly lease: Lease;
  readonly ghost: Ghost;
}

/** Runs the plan in a fresh container on one of the hosts. The container goes after the answer. */
export function createGhostExecutor(parts: GhostParts): Executor {
  return async (permit, execution) => {
    const { plan } = permit.sealed;
    execution.advance({ state: 'queued' });
    const { lease, ghost } = await place(plan, execution, parts);
    try {
      return await runIn(ghost, lease.host, plan, execution, parts);
    } catch (error) {
      if (toClawrdenError(error).code === 'host-lost') parts.onHostLost(lease.host);
      throw error;
    } finally {
      void ghost.destroy().finally(lease.release);
    }
  };
}

/** A lease with a ready ghost in it. A host where nothing could start is left out of the next try. */
async function place(plan: Plan, execution: Execution, parts: GhostParts): Promise<Placed> {
  const avoid = new Map<DockerHost, ClawrdenError>();
  const labels = { ...execution.context.hostLabels, ...parts.labelsOf(plan.agent) };
  const onPlace = (at: number) =>
    void execution.send({ type: 'notice', text: `waiting for a Docker host, ${at} in line` });
  for (;;) {
    const request = { labels, imageId: plan.image?.id ?? '', avoid };
    const lease = await parts.scheduler.lease(request, execution.signal, onPlace);
    try {
      return { lease, ghost: await start(lease.host, plan, execution, parts.startTimeoutMs) };
    } catch (error) {
      lease.release();
      execution.signal.throwIfAborted();
      const failed = toClawrdenError(error);
      if (failed.code === 'host-lost') parts.onHostLost(lease.host);
      if (!startsElsewhere.has(failed.code)) throw failed;
      avoid.set(lease.host, failed);
    }
  }
}

/** After these nothing has run, and another host may do better. */
const startsElsewhere: ReadonlySet<string> = new Set([
  'workspace-missing',
  'image-missing',
  'no-host',
  'host-lost',
]);

async function start(
  host: DockerHost,
  plan: Plan,
  { signal, record }: Execution,
  timeoutMs: number,
): Promise<Ghost> {
  const late = new AbortController();
  const text = `the container did not start in ${timeoutMs / 1000} s on ${host.name}`;
  const timer = setTimeout(() => late.abort(new ClawrdenError('start-timeout', text)), timeoutMs);
  const either = AbortSignal.any([signal, late.signal]);
  return host.engine
    .startGhost(shapeOf(plan), { pooled: false, timeoutMs: plan.timeoutMs, executionId: record.id }, either)
    .finally(() => clearTimeout(timer));
}

async function runIn(
  ghost: Ghost,
  host: DockerHost,
  plan: Plan,
  execution: Execution,
  { recordStart }: GhostParts,
): Promise<Outcome> {
  const { session } = ghost;
  execution.advance({ host: host.name, container: ghost.containerId });
  execution.takeInputs((input) => forward(input, session));
  const stopCanceling = cancelOnAbort(execution.signal, session);
  try {
    const end = await session.run({
      plan: encodePlan(initPlanOf(plan, execution.context.wiring)),
      send: counted(execution),
      onStarted: () => {
        execution.advance({ state: 'running', startedAt: Date.now() });
        recordStart(execution);
        void execution.send({ type: 'started', host: host.name, container: ghost.containerId });
      },
    });
    execution.signal.throwIfAborted();
    return outcomeOfEnd(end, { ...plan, ...plan.limits });
  } catch (error) {
    execution.signal.throwIfAborted();
    throw error;
  } finally {
    stopCanceling();
  }
}

function forward(input: FromCaller, session: InitSession): void {
  if (input.type !== 'mirror-started' && input.type !== 'mirror-output' && input.type !== 'mirror-end') {
    session.input(input);
  }
}

function counted(execution: Execution): Send<Output> {
  return (output) => {
    if (output.type === 'stdout') execution.output.add(1, output.bytes);
    else if (output.type === 'stderr') execution.output.add(2, output.bytes);
    return execution.send(output);
  };
}

/** First the init is asked, then its stream is taken away; either way `run` ends. */
function cancelOnAbort(signal: AbortSignal, session: InitSession): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    session.cancel();
    timer = setTimeout(() => session.destroy(), cancelGraceMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}
