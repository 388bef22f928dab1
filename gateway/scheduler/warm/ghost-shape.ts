import { ClawrdenError } from '../../../src/errors.ts';
import type { Plan } from '../../../src/plan.ts';
import type { GhostShape } from '../../ports/engine.ts';

/** `following`: how the agent's workspace is followed. Throws `internal` for a plan without an image. */
export function shapeOf(plan: Plan, following: string | undefined): GhostShape {
  const { agent, image, uid, gid, mounts, network } = plan;
  const { memoryBytes, cpus, pids } = plan.limits;
  if (image === undefined) throw new ClawrdenError('internal', 'a plan without an image is no ghost');
  return {
    ...{ agent, image, uid, gid, mounts, network, memoryBytes, cpus, pids },
    ...(following !== undefined && mounts.length > 0 && { following }),
  };
}

/** One text per shape: on one host equal keys mean equal containers, and a host that may have one may have all. */
export function shapeKey(shape: GhostShape): string {
  const { agent, image, uid, gid, following, network, memoryBytes, cpus, pids } = shape;
  const mounts = shape.mounts.map(({ kind, source, target, readOnly = false }) => [
    ...[kind, source, target],
    readOnly,
  ]);
  return JSON.stringify([
    agent,
    image.reference,
    image.id,
    image.envHash,
    uid,
    gid,
    mounts,
    following,
    network,
    memoryBytes,
    cpus,
    pids,
  ]);
}
