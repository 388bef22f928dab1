import type Docker from 'dockerode';
import { abortableSleep } from '../../../src/abortable-sleep.ts';
import { ReplicaUnreachable } from '../../workspaces/faults.ts';
import { createContainer } from '../container/create-container.ts';
import { removeContainer } from '../container/remove-container.ts';
import { statusOf } from '../engine/engine-errors.ts';

/** An engine may still hold the name of a container that it says is gone. */
const againMs = [0, 50, 200, 1000];

/**
 * A container under a name that only one may have. Two carriers on one volume would spoil it, so its name is the lock:
 * one that an earlier gateway left goes first.
 */
export async function createAlone(
  docker: Docker,
  name: string,
  body: Docker.ContainerCreateOptions,
  signal: AbortSignal,
): Promise<Docker.Container> {
  for (const pauseMs of againMs) {
    try {
      return await createContainer(docker, name, body);
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
    }
    signal.throwIfAborted();
    await removeContainer(docker, name);
    await abortableSleep(pauseMs, signal);
  }
  throw new ReplicaUnreachable(`the engine does not give up the container ${name} of an earlier carrier`);
}
