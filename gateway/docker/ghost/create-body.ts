import { posix } from 'node:path';
import type { ContainerCreateOptions, HostConfig, MountSettings } from 'dockerode';
import { attachedProgram, hardening, uncopied } from '../../../src/container/hardened.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { PlanMount } from '../../../src/plan.ts';
import type { GhostShape } from '../../ports/engine.ts';
import { hostsFile, type InitVolume, initDirectory, initFile, initMount } from '../init/init-layout.ts';
import { terminals } from './terminals.ts';

const hostsTarget = '/etc/hosts';
/** Every ghost has it, so that one that was started ahead can be given secrets. */
const secretsFolder = '/run/secrets';

const mebibyte = 1024 * 1024;

/**
 * The whole body of a ghost's create call without its labels: a pure function of the shape, the image's VOLUME paths
 * and the init's volume. A caller influences HostConfig only through the fields that are named here. Throws
 * `internal` for a shape that no ghost may have, `image-missing` if the image cannot be used. `words`: what the init is told.
 */
export function createBody(
  shape: GhostShape,
  imageVolumes: readonly string[],
  init: InitVolume,
  words: readonly string[] = [],
): ContainerCreateOptions {
  return {
    Image: shape.image.id,
    User: `${shape.uid}:${shape.gid}`,
    Entrypoint: [`${initDirectory}/${initFile}`],
    ...attachedProgram,
    Cmd: [...words],
    NetworkDisabled: shape.network === 'none',
    HostConfig: hostConfig(shape, imageVolumes, init),
  };
}

function hostConfig(shape: GhostShape, imageVolumes: readonly string[], init: InitVolume): HostConfig {
  return {
    ...hardening,
    Ulimits: ulimits,
    NetworkMode: networkMode(shape.network),
    PidsLimit: shape.pids,
    Memory: shape.memoryBytes,
    // The same as Memory: no additional swap.
    MemorySwap: shape.memoryBytes,
    NanoCpus: Math.round(shape.cpus * 1e9),
    Tmpfs: { ...coveredVolumes(shape, imageVolumes), ...ownTmpfs(shape) },
    Mounts: [...shape.mounts.map(workspaceMount), ...initMounts(shape, init), terminals],
  };
}

/**
 * Soft limit 1024 as in a login shell, for tools that close or select() every descriptor; they may raise it. The hard
 * limit must not be above that of a confined engine.
 */
const ulimits = [
  { Name: 'nofile', Soft: 1024, Hard: 16_384 },
  { Name: 'core', Soft: 0, Hard: 0 },
];

function networkMode(network: string): string {
  if (network === 'host' || network.includes(':')) {
    throw new ClawrdenError('internal', `a ghost never joins the network of "${network}"`);
  }
  return network;
}

function ownTmpfs({ uid, gid }: GhostShape): Record<string, string> {
  const size = `size=${512 * mebibyte}`;
  return {
    '/tmp': `rw,exec,nosuid,nodev,mode=1777,${size}`,
    [secretsFolder]: `rw,noexec,nosuid,nodev,mode=0700,uid=${uid},gid=${gid},size=${mebibyte}`,
    '/home/ghost': `rw,exec,nosuid,nodev,mode=0700,uid=${uid},gid=${gid},${size}`,
  };
}

/**
 * Otherwise Docker would make an anonymous volume on the host's disk for each path, and copy the image's files into
 * it.
 */
function coveredVolumes(
  { image, mounts, uid, gid }: GhostShape,
  volumes: readonly string[],
): Record<string, string> {
  const options = `rw,exec,nosuid,nodev,mode=0755,uid=${uid},gid=${gid},size=${512 * mebibyte}`;
  const workspaces = mounts.map((mount) => mount.target);
  const paths = volumes.map((path) => posix.resolve('/', path));
  const inside = paths.find((path) => workspaces.some((target) => path.startsWith(`${target}/`)));
  if (inside !== undefined) {
    // A mount there would make Docker create the directory in the workspace, as root.
    throw new ClawrdenError(
      'image-missing',
      `image ${image.reference}: it declares the VOLUME ${inside} inside the workspace; use an image without it`,
    );
  }
  const mounted = new Set([...workspaces, initDirectory, hostsTarget]);
  return Object.fromEntries(paths.filter((path) => !mounted.has(path)).map((path) => [path, options]));
}

function workspaceMount({ kind, source, target, readOnly }: PlanMount): MountSettings {
  const mount = { Type: kind, Source: source, Target: target, ReadOnly: readOnly === true };
  return kind === 'bind' ? mount : { ...mount, VolumeOptions: uncopied };
}

function initMounts({ network }: GhostShape, init: InitVolume): MountSettings[] {
  if (network !== 'none') return [initMount(init)];
  // NetworkDisabled halves the start and still gives a loopback, but no /etc/hosts, so that is a file of the same
  // volume.
  const source = `${init.mountpoint}/${hostsFile}`;
  return [initMount(init), { Type: 'bind', Source: source, Target: hostsTarget, ReadOnly: true }];
}
