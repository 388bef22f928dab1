import type Docker from 'dockerode';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import { removeVolume } from '../engine/remove-volume.ts';
import { initLabel } from './init-volume.ts';

/**
 * Removes the init volumes of other builds that no container mounts. If a gateway of such a build still runs, it
 * fills its own volume again. Rejects with the engine's error.
 */
export async function removeOldInitVolumes(docker: Docker, current: string): Promise<void> {
  const { Volumes } = await withDeadline(callTimeoutMs, (abortSignal) =>
    docker.listVolumes({ filters: { label: [initLabel] }, ...{ abortSignal } }),
  );
  for (const { Name } of Volumes) if (Name !== current) await removeUnused(docker, Name);
}

async function removeUnused(docker: Docker, name: string): Promise<void> {
  try {
    await removeVolume(docker, name);
  } catch (error) {
    // Mounted.
    if (statusOf(error) !== 409) throw error;
  }
}
