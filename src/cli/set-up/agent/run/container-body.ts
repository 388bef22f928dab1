import { agentLabel } from '../../../../agent-container.ts';
import type { HomeWorkspace } from '../../../../config/gateway-config.ts';
import type { AgentPlaces } from '../../../../config/told-agents.ts';
import type { ImageFacts } from './image-facts.ts';
import { jailFirst } from './jail-path.ts';
import type { RunWish } from './read-run-options.ts';
import { withWayOut } from './way-out-env.ts';

export interface ContainerParts {
  readonly wish: RunWish;
  readonly image: ImageFacts;
  readonly places: AgentPlaces;
  readonly socketFolder: string;
  /** What follows the agent, if anything does. */
  readonly workspace: HomeWorkspace | undefined;
  /** Variables of the agent's way out. */
  readonly wayOut: readonly string[];
}

/** What an engine makes the container from: what was asked for, and over it what closes it. */
export function containerBody(parts: ContainerParts) {
  const { wish, image, places, workspace, wayOut } = parts;
  const { users, name } = places.agent;
  const [{ uid, gid }] = users;
  const isAttached = !wish.detach;
  const workdir = wish.workdir ?? workspace?.target;
  return {
    Image: wish.image,
    ...(wish.command.length > 0 && { Cmd: wish.command }),
    ...(wish.entrypoint !== undefined && { Entrypoint: [wish.entrypoint] }),
    ...(wish.hostname !== undefined && { Hostname: wish.hostname }),
    ...(workdir !== undefined && { WorkingDir: workdir }),
    ...(wish.stopTimeout !== undefined && { StopTimeout: wish.stopTimeout }),
    User: `${uid}:${gid}`,
    Env: [...withWayOut(wish.env, image.env, wayOut), `PATH=${jailFirst(image.env)}`],
    Labels: { ...wish.labels, [agentLabel]: name },
    ...{ Tty: wish.tty, OpenStdin: wish.interactive, StdinOnce: wish.interactive && isAttached },
    ...{ AttachStdin: wish.interactive && isAttached, AttachStdout: isAttached, AttachStderr: isAttached },
    HostConfig: hostConfig(parts),
  };
}

function hostConfig(parts: ContainerParts) {
  const { wish } = parts;
  return {
    AutoRemove: wish.rm,
    ReadonlyRootfs: wish.readOnly,
    ...(wish.restart && { RestartPolicy: wish.restart }),
    ...(wish.memory !== undefined && { Memory: wish.memory }),
    ...(wish.nanoCpus !== undefined && { NanoCpus: wish.nanoCpus }),
    ...(wish.pids !== undefined && { PidsLimit: wish.pids }),
    ...(wish.shm !== undefined && { ShmSize: wish.shm }),
    Tmpfs: Object.fromEntries(wish.tmpfs),
    Mounts: mounts(parts),
    ...closed,
  };
}

const closed = {
  NetworkMode: 'none',
  Privileged: false,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  IpcMode: 'private',
  CgroupnsMode: 'private',
};

/** As `Mounts`, because an engine makes what is missing of a `Bind`. */
function mounts({ wish, places, socketFolder, workspace }: ContainerParts) {
  return [
    { Type: 'bind', Source: places.jail, Target: '/clawrden/bin', ReadOnly: true },
    { Type: 'bind', Source: socketFolder, Target: '/var/run/clawrden', ReadOnly: true },
    ...(workspace === undefined
      ? []
      : [{ Type: workspace.kind, Source: workspace.source, Target: workspace.target }]),
    ...wish.volumes.map(({ source, target, readOnly }) => ({
      Type: source.startsWith('/') ? 'bind' : 'volume',
      ...{ Source: source, Target: target, ReadOnly: readOnly },
    })),
  ];
}
