import type Docker from 'dockerode';
import { callTimeoutMs, EngineTimeout, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';

/**
 * If the engine is already removing a container, that removal may fail without notice: after this time it is asked
 * again.
 */
const askAgainMs = 1000;

/**
 * Kills and removes a container with its anonymous volumes. Resolves when it is gone, with `true` if it existed.
 * Rejects with the engine's error, after 10 s at the latest.
 */
export async function removeContainer(docker: Docker, nameOrId: string): Promise<boolean> {
  const container = docker.getContainer(nameOrId);
  return withDeadline(callTimeoutMs, async (signal) => {
    for (let there = false; ; there = true) {
      const answer = await forceRemove(container, signal);
      if (answer !== 'removing') return there || answer === 'removed';
      await removedSoon(container, signal);
    }
  });
}

/** One call; `removing` if AutoRemove, or another call of ours, is already removing it. */
export async function forceRemove(
  container: Docker.Container,
  abortSignal: AbortSignal,
): Promise<'removed' | 'absent' | 'removing'> {
  try {
    await container.remove({ force: true, v: true, ...{ abortSignal } });
    return 'removed';
  } catch (error) {
    if (statusOf(error) === 404) return 'absent';
    if (statusOf(error) === 409) return 'removing';
    throw error;
  }
}

async function removedSoon(container: Docker.Container, signal: AbortSignal): Promise<void> {
  const wait = (abortSignal: AbortSignal) => container.wait({ condition: 'removed', abortSignal });
  try {
    await withDeadline(askAgainMs, wait, signal);
  } catch (error) {
    if (statusOf(error) !== 404 && !(error instanceof EngineTimeout)) throw error;
  }
}
