import type Docker from 'dockerode';
import { callTimeoutMs, EngineTimeout, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';

/** A removal that the engine is at may fail and say so to nobody: it is asked again after this. */
const askAgainMs = 1000;

/**
 * Kills and removes a container with its anonymous volumes; resolves when it is gone, `true` where it was there.
 * Rejects with the engine's error, at the latest after 10 s.
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

/** One call; `removing` where AutoRemove, or another call of ours, is at it. */
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
