import { deadline } from '../../src/abort.ts';
import { ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import type { Gate } from '../../src/gate.ts';
import type { Plan } from '../../src/plan.ts';
import type { Execution } from '../execution/execution.ts';
import type { Ghost } from '../ports/engine.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { DockerHost } from '../scheduler/hosts/docker-host.ts';
import type { LeaseRequest } from '../scheduler/placement/candidates.ts';
import type { Lease, Scheduler } from '../scheduler/placement/scheduler.ts';
import { shapeKey, shapeOf } from '../scheduler/warm/ghost-shape.ts';
import type { Warmer } from '../scheduler/warm/warmer.ts';
import { ReplicaUnreachable } from '../workspaces/faults.ts';
import type { Workspaces } from '../workspaces/follow.ts';
import { startsElsewhere } from '../workspaces/starts-elsewhere.ts';
import type { Visit } from '../workspaces/visit.ts';

/** A lease, and an init that is ready for a plan: of a ghost, or in a session. */
export interface Placed {
  readonly lease: Lease;
  readonly ghost: Pick<Ghost, 'containerId' | 'session' | 'claim' | 'inReplica'>;
  /** The init has reported its end: the container of a ghost removes itself. Resolves when it is gone. */
  readonly release: () => Promise<void>;
  /** Nothing of the command is left when it resolves; false if something may be. */
  readonly destroy: () => Promise<boolean>;
  /** It was started ahead, so its container has no name of an execution yet. */
  readonly nameless: boolean;
  /** Absent if the host sees the workspace by itself. It ends with the lease. */
  readonly visit?: Visit;
}

export interface PlacerParts {
  readonly scheduler: Scheduler;
  readonly warmer: Warmer;
  readonly workspaces: Pick<Workspaces, 'hold' | 'visit' | 'behindMs' | 'isLeftOut' | 'gate' | 'following'>;
  readonly startTimeoutMs: number;
  /** Labels that the hosts of an agent must have. */
  readonly labelsOf: (agent: string) => Readonly<Record<string, string>>;
  /** Called if an engine failed, or an init broke its protocol. */
  readonly onHostLost: (host: DockerHost, error: ClawrdenError, execution: ExecutionRecord) => void;
  /** The containers get no name of this execution: it will have another container. */
  readonly nameless?: boolean;
}

/** Finds a host and a ghost for the plan: at once if a ghost waits, and then without a request to the engine. */
export type Place = (plan: Plan, execution: Execution) => Placed | Promise<Placed>;

export function createGhostPlacer(parts: PlacerParts): Place {
  return (plan, execution) => {
    const request = requestOf(plan, execution, parts);
    const { shape, key, labels } = request;
    parts.warmer.asked({ shape, key, labels, timeoutMs: plan.timeoutMs });
    const onPlace = (at: number) => {
      execution.queued();
      tellPlace(execution, at);
    };
    const take = () => parts.scheduler.lease(request, execution.signal, onPlace);
    const gate = plan.mounts.length === 0 ? undefined : parts.workspaces.gate(plan.agent);
    // An agent whose home answers slowly, or never, holds only so many places on hosts as its gate lets through.
    if (gate !== undefined)
      return throughGate(gate, execution.signal, (leave) =>
        placeInTurn(take(), request, plan, execution, onPlace, parts, leave),
      );
    const lease = take();
    const placed = lease instanceof Promise ? undefined : claim(lease, key, parts);
    return placed ?? placeInTurn(lease, request, plan, execution, onPlace, parts);
  };
}

/** What a host must have for the plan. */
export function requestOf(
  plan: Plan,
  execution: Execution,
  { labelsOf, workspaces }: Pick<PlacerParts, 'labelsOf' | 'workspaces'>,
) {
  const shape = shapeOf(plan, workspaces.following(plan.agent));
  return {
    ...{ shape, key: shapeKey(shape), avoid: new Map<DockerHost, ClawrdenError>() },
    labels: { ...execution.context.hostLabels, ...labelsOf(plan.agent) },
    behindMs: (host: DockerHost) => workspaces.behindMs(host.config, plan.agent),
    isLeftOut: (host: DockerHost) => plan.mounts.length > 0 && workspaces.isLeftOut(host.config, plan.agent),
  };
}

export function tellPlace(execution: Execution, at: number): void {
  void execution.send({ type: 'notice', text: `waiting for a Docker host, ${at} in line` });
}

export function visitOf(
  { lease: { host }, ghost }: Pick<Placed, 'lease' | 'ghost'>,
  { shape }: LeaseRequest,
  { record: { id } }: Execution,
  { workspaces }: Pick<PlacerParts, 'workspaces'>,
): Visit | undefined {
  return shape.mounts.length === 0 ? undefined : workspaces.visit(host.config, shape.agent, id, ghost);
}

function claim(lease: Lease, key: string, parts: PlacerParts): Placed | undefined {
  const ghost = lease.host.warm.claim(key);
  return ghost && { ...ofGhost(lease.host, ghost), lease: refilling(lease, parts), nameless: true };
}

function ofGhost(host: DockerHost, ghost: Ghost): Pick<Placed, 'ghost' | 'release' | 'destroy'> {
  return { ghost, release: () => host.release(ghost), destroy: () => host.destroy(ghost) };
}

/** When the command ends, there may be time to replace the ghost that it took. */
function refilling({ host, release }: Lease, { warmer }: PlacerParts): Lease {
  return {
    host,
    release: () => {
      release();
      warmer.poke();
    },
  };
}

/** A command that waits for its host, and not for home, lets the agent's others by: they may have another host. */
export async function throughGate<T>(
  gate: Gate,
  signal: AbortSignal,
  work: (leave: () => void) => Promise<T>,
): Promise<T> {
  await gate.enter(signal);
  let isIn = true;
  const leave = () => {
    if (isIn) gate.leave();
    isIn = false;
  };
  try {
    signal.throwIfAborted();
    return await work(leave);
  } finally {
    leave();
  }
}

/** A host where no ghost could start is left out of the next try. */
async function placeInTurn(
  first: Lease | Promise<Lease>,
  request: LeaseRequest & { readonly avoid: Map<DockerHost, ClawrdenError> },
  plan: Plan,
  execution: Execution,
  onPlace: (at: number) => void,
  parts: PlacerParts,
  leaveGate?: () => void,
): Promise<Placed> {
  let lease = await first;
  for (;;) {
    const { host } = lease;
    execution.trace.mark('leased');
    try {
      // Its visit holds the workspace there from the end of this block on.
      using _ = parts.workspaces.hold(host.config, plan.agent);
      const placed = claim(lease, request.key, parts) ?? {
        ...(await start(host, request, plan.timeoutMs, execution, parts)),
        lease: refilling(lease, parts),
      };
      execution.trace.mark('ready');
      return await settled(placed, () => visitOf(placed, request, execution, parts), execution, leaveGate);
    } catch (error) {
      lease.release();
      execution.signal.throwIfAborted();
      const failed = toClawrdenError(error);
      const isReplica = failed instanceof ReplicaUnreachable;
      if (failed.code === 'host-lost' || isReplica) parts.onHostLost(host, failed, execution.record);
      if (!startsElsewhere(failed)) throw failed;
      request.avoid.set(host, failed);
    }
    lease = await parts.scheduler.lease(request, execution.signal, onPlace);
  }
}

/** What is at home is on the host before the tool starts. */
export async function settled(
  placed: Placed,
  visiting: () => Visit | undefined,
  execution: Execution,
  onSlow?: () => void,
): Promise<Placed> {
  let visit: Visit | undefined;
  try {
    visit = visiting();
    if (visit === undefined) return placed;
    await visit.settle(execution.signal, onSlow);
    execution.trace.mark('settled');
    return { ...placed, visit };
  } catch (error) {
    visit?.end();
    execution.clean(placed.destroy().then(() => {}));
    throw error;
  }
}

/** A ghost that is being started already, else a new one. */
async function start(
  host: DockerHost,
  { shape, key }: LeaseRequest,
  timeoutMs: number,
  execution: Execution,
  { startTimeoutMs, nameless }: PlacerParts,
): Promise<Omit<Placed, 'lease'>> {
  execution.queued();
  const text = `the container did not start in ${startTimeoutMs / 1000} s on ${host.name}`;
  using until = deadline(startTimeoutMs, () => new ClawrdenError('start-timeout', text), execution.signal);
  const coming = await host.warm.claimComing(key, until.signal);
  if (coming?.session.alive) return { ...ofGhost(host, coming), nameless: true };
  if (coming !== undefined) void host.destroy(coming);
  const name = nameless === true ? {} : { executionId: execution.record.id };
  const purpose = { pooled: false, timeoutMs, ...name };
  return { ...ofGhost(host, await host.start(shape, purpose, until.signal)), nameless: false };
}
