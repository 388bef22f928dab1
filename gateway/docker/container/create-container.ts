import type Docker from 'dockerode';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { withId } from '../engine/engine-ids.ts';

/** Rejects with the engine's error. If the engine gave no answer, it is unknown whether the container was made. */
export function createContainer(
  docker: Docker,
  name: string,
  body: Docker.ContainerCreateOptions,
): Promise<Docker.Container> {
  return withDeadline(callTimeoutMs, async (abortSignal) => {
    // Without these two names dockerode also puts the whole body into the URL.
    const options = { _query: { name }, _body: body, abortSignal };
    return withId(await docker.createContainer(options));
  });
}
