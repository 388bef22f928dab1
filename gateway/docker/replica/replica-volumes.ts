import type Docker from 'dockerode';
import { gatewayLabel } from '../../../src/agent-container.ts';
import { nameField } from '../../../src/config/fields.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import { replicaName } from './carrier-body.ts';

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

/** More agents than one gateway serves: what a host tells beyond is not looked at. */
const replicasMost = 2000;

/** The agents that have a replica on the engine. */
export async function replicaAgents(docker: Docker, gatewayId: string): Promise<string[]> {
  const label = [`${gatewayLabel}=${gatewayId}`, workspaceLabel];
  const { Volumes } = await withDeadline(callTimeoutMs, (abortSignal) =>
    docker.listVolumes({ filters: { label }, ...{ abortSignal } }),
  );
  const named = Volumes.slice(0, replicasMost).flatMap(({ Name, Labels }) => {
    // A host may say anything: only a volume with the name that this gateway gives is an agent's.
    const { data: agent } = nameField.safeParse(Labels?.[workspaceLabel]);
    return agent !== undefined && Name === replicaName(gatewayId, agent) ? [agent] : [];
  });
  return [...new Set(named)];
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
