import { createHash } from 'node:crypto';
import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import type { Identity } from '../../../src/command.ts';
import { attachedProgram, carrierHardening, uncopied } from '../../../src/container/hardened.ts';
import type { HomeWish } from './home-wish.ts';

/** Where a carrier in a container finds the workspace. */
export const containedRoot = '/w';
/** In the container's image. */
export const carrierPath = '/carrier';

/** Labels of such a container: the relay's key, and the agent. */
export const relayLabel = 'clawrden.relay';
export const homeLabel = 'clawrden.home';

/** A relay never has two for one agent, so the name is a lock. */
export function containedName(relayKey: string, agent: string): string {
  const hash = createHash('sha256').update(`${relayKey}\0${agent}`).digest('hex');
  return `clawrden-home-${hash.slice(0, 16)}`;
}

/** The whole body of the create call without its labels: the agent's user, no capability, and the workspace alone. */
export function containedBody(
  image: string,
  { uid, gid }: Identity,
  workspace: Pick<HomeWish, 'kind' | 'source'>,
): ContainerCreateOptions {
  return {
    Image: image,
    User: `${uid}:${gid}`,
    Entrypoint: [carrierPath],
    ...attachedProgram,
    NetworkDisabled: true,
    HostConfig: {
      ...carrierHardening,
      // The uid is one of this host, as the kernel told it.
      UsernsMode: 'host',
      Mounts: [mountOf(workspace)],
    },
  };
}

function mountOf({ kind, source }: Pick<HomeWish, 'kind' | 'source'>): MountSettings {
  const mount = { Type: kind, Source: source, Target: containedRoot, ReadOnly: false } as const;
  return kind === 'volume'
    ? { ...mount, VolumeOptions: uncopied }
    : { ...mount, BindOptions: { Propagation: 'rprivate' } };
}
