import type Docker from 'dockerode';
import { callTimeoutMs, withDeadline } from './deadline.ts';
import { statusOf } from './engine-errors.ts';

/** Resolves with whether it was there. Rejects with the engine's error while a container mounts it. */
export async function removeVolume(docker: Docker, name: string, outer?: AbortSignal): Promise<boolean> {
  const remove = (abortSignal: AbortSignal) => docker.getVolume(name).remove({ abortSignal });
  try {
    await withDeadline(callTimeoutMs, remove, outer);
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
