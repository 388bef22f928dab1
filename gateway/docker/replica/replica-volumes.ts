import type Docker from 'dockerode';
import { gatewayLabel } from '../../../src/agent-container.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';

/** Of a replica's volume: the agent whose workspace it follows. */
export const workspaceLabel = 'clawrden.workspace';

/** Makes the volume, or leaves it as it is. Resolves with the folder on the engine's host. */
export async function makeReplicaVolume(
  docker: Docker,
  gatewayId: string,
  agent: string,
  Name: string,
): Promise<string> {
  const Labels = { [gatewayLabel]: gatewayId, [workspaceLabel]: agent };
  const facts = await withDeadline(callTimeoutMs, async (abortSignal) => {
    const volume = await docker.createVolume({ Name, Labels, abortSignal });
    return volume.inspect({ abortSignal });
  });
  return facts.Mountpoint;
}

/** The agents that have a replica on the engine. */
export async function replicaAgents(docker: Docker, gatewayId: string): Promise<string[]> {
  const label = [`${gatewayLabel}=${gatewayId}`, workspaceLabel];
  const { Volumes } = await withDeadline(callTimeoutMs, (abortSignal) =>
    docker.listVolumes({ filters: { label }, ...{ abortSignal } }),
  );
  return Volumes.flatMap(({ Labels }) => Labels?.[workspaceLabel] ?? []);
}

/** Resolves with whether it was there. Rejects with the engine's error while a container mounts it. */
export async function removeReplicaVolume(docker: Docker, name: string): Promise<boolean> {
  try {
    await withDeadline(callTimeoutMs, (abortSignal) => docker.getVolume(name).remove({ abortSignal }));
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
