import { createHash } from 'node:crypto';
import type { ContainerCreateOptions } from 'dockerode';
import { attachedProgram, carrierHardening, uncopied } from '../../../src/container/hardened.ts';
import type { ReplicaOf } from '../../ports/replica.ts';
import { carrierFile, emptyImage, type InitVolume, initDirectory, initMount } from '../init/init-layout.ts';

/** Where a carrier finds its volume: the tree in one folder, its own files beside it. */
export const replicaMount = '/w';
export const treeFolder = 'base';

/** To give entries their owners, and enter folders that only those may enter; FSETID keeps setgid on folders of any group; LEASE tells which files are open. */
export const carrierCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'LEASE'] as const;

/** The volume of a replica, and of its name the carrier's container: only one can have it. */
export function replicaName(gatewayId: string, { agent, home }: ReplicaOf): string {
  const of = home === '' ? [gatewayId, agent] : [gatewayId, agent, home];
  const hash = createHash('sha256').update(of.join('\0')).digest('hex');
  return `clawrden-ws-${hash.slice(0, 16)}`;
}

/**
 * The whole body of a carrier's create call without its labels. Root without a network and with five
 * capabilities.
 */
export function carrierBody(volume: string, init: InitVolume): ContainerCreateOptions {
  return {
    Image: emptyImage,
    User: '0:0',
    Entrypoint: [`${initDirectory}/${carrierFile}`],
    ...attachedProgram,
    NetworkDisabled: true,
    HostConfig: {
      ...carrierHardening,
      CapAdd: [...carrierCapabilities],
      Mounts: [
        { Type: 'volume', Source: volume, Target: replicaMount, ReadOnly: false, VolumeOptions: uncopied },
        initMount(init),
      ],
    },
  };
}
