import type Docker from 'dockerode';
import { ClawrdenError } from '../../../src/errors.ts';
import type { PlanMount } from '../../../src/plan.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';

/** Throws `workspace-missing` if a volume does not exist: Docker would silently make an empty one. */
export async function requireVolumes(
  docker: Docker,
  host: string,
  mounts: readonly PlanMount[],
): Promise<void> {
  const volumes = mounts.filter((mount) => mount.kind === 'volume');
  await Promise.all(volumes.map((mount) => requireVolume(docker, host, mount.source)));
}

async function requireVolume(docker: Docker, host: string, name: string): Promise<void> {
  try {
    await withDeadline(callTimeoutMs, (abortSignal) => docker.getVolume(name).inspect({ abortSignal }));
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    const missing = `host ${host}: volume ${name} is not there; make it on that engine or choose another host`;
    throw new ClawrdenError('workspace-missing', missing, { cause: error });
  }
}
