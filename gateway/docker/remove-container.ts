import type Docker from 'dockerode';
import { callTimeoutMs, withDeadline } from './deadline.ts';
import { statusOf } from './engine-errors.ts';

/**
 * Kills and removes a container with its anonymous volumes; resolves when it is gone, `true` where it was there.
 * Rejects with the engine's error, at the latest after 10 s.
 */
export async function removeContainer(docker: Docker, nameOrId: string): Promise<boolean> {
  const container = docker.getContainer(nameOrId);
  return withDeadline(callTimeoutMs, async (abortSignal) => {
    try {
      await container.remove({ force: true, v: true, ...{ abortSignal } });
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      if (statusOf(error) !== 409) throw error;
    }
    // AutoRemove, or another call of ours, is at it.
    await container.wait({ condition: 'removed', abortSignal }).catch((error: unknown) => {
      if (statusOf(error) !== 404) throw error;
    });
    return true;
  });
}
