import type Docker from 'dockerode';
import { z } from 'zod';
import { gatewayLabel } from '../../../src/agent-container.ts';
import { nameField } from '../../../src/config/fields.ts';
import type { ReplicaOf } from '../../ports/replica.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { replicaName } from './carrier-body.ts';

/** Of a replica's volume: the agent whose workspace it follows, and the id of its home. */
export const workspaceLabel = 'clawrden.workspace';
const homeLabel = 'clawrden.workspace-home';

/** Makes the volume, or leaves it as it is. Resolves with the folder on the engine's host. */
export async function makeReplicaVolume(docker: Docker, gatewayId: string, of: ReplicaOf): Promise<string> {
  const Name = replicaName(gatewayId, of);
  const Labels = { [gatewayLabel]: gatewayId, [workspaceLabel]: of.agent, [homeLabel]: of.home };
  const facts = await withDeadline(callTimeoutMs, async (abortSignal) => {
    const volume = await docker.createVolume({ Name, Labels, abortSignal });
    return volume.inspect({ abortSignal });
  });
  return facts.Mountpoint;
}

/** None: of a gateway from before. */
const homeField = z
  .string()
  .regex(/^([0-9a-f]{16})?$/)
  .default('');

/** More agents than one gateway serves: what a host tells beyond is not looked at. */
const replicasMost = 2000;

/** The replicas on the engine. */
export async function replicasOn(docker: Docker, gatewayId: string): Promise<ReplicaOf[]> {
  const label = [`${gatewayLabel}=${gatewayId}`, workspaceLabel];
  const { Volumes } = await withDeadline(callTimeoutMs, (abortSignal) =>
    docker.listVolumes({ filters: { label }, ...{ abortSignal } }),
  );
  const named = Volumes.slice(0, replicasMost).flatMap(({ Name, Labels }): [string, ReplicaOf][] => {
    // A host may say anything: only a volume with the name that this gateway gives is a replica.
    const { data: agent } = nameField.safeParse(Labels?.[workspaceLabel]);
    const { data: home } = homeField.safeParse(Labels?.[homeLabel]);
    const of = agent === undefined || home === undefined ? undefined : { agent, home };
    return of !== undefined && Name === replicaName(gatewayId, of) ? [[Name, of]] : [];
  });
  return [...new Map(named).values()];
}
