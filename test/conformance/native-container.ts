import { spawn } from 'node:child_process';
import type { ContainerCreateOptions, ContainerInspectInfo, HostConfig } from 'dockerode';
import Docker from 'dockerode';
import type { HostNames } from '../lab/names.ts';
import { attachDriver, type Driver, driverInContainer } from './driver.ts';

export interface Running {
  readonly host: HostNames;
  /** Name or id of a running container. */
  readonly container: string;
}

/** A container as a model, and what must differ from it. */
export interface Original extends Running {
  /** What the copy has in place of the model's workspace. */
  readonly workspace: string;
  /** Path of the driver on the host. */
  readonly driver: string;
}

/** A create request for a container like another one, with the driver as PID 1. */
export interface Likeness {
  readonly host: HostNames;
  readonly body: ContainerCreateOptions;
  /** The image's and the container's own environment. */
  readonly env: readonly string[];
}

/** Everything as in the model, from its user and mounts to its limits; only the program and the workspace differ. */
export async function likenessOf({ host, container, workspace, driver }: Original): Promise<Likeness> {
  const seen = await clientOf(host).getContainer(container).inspect();
  return {
    host,
    body: {
      ...seen.Config,
      // A gateway removes containers with its labels.
      Labels: {},
      Hostname: '',
      Entrypoint: [driverInContainer],
      Cmd: [],
      ...{ OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true },
      HostConfig: hostConfig(seen, workspace, driver),
    },
    env: seen.Config.Env,
  };
}

/** Starts a driver as PID 1 of a container. */
export async function startNative({ host, body }: Likeness): Promise<Driver> {
  const docker = clientOf(host);
  const container = await docker.createContainer(body);
  const child = spawn('docker', [
    '-H',
    `unix://${host.socket}`,
    'start',
    '--attach',
    '--interactive',
    container.id,
  ]);
  return attachDriver(child, () => container.remove({ force: true, v: true }).catch(() => {})); // AutoRemove may win
}

function clientOf({ socket }: HostNames): Docker {
  return new Docker({ socketPath: socket });
}

function hostConfig(
  { HostConfig: seen }: ContainerInspectInfo,
  workspace: string,
  driver: string,
): HostConfig {
  return {
    ...seen,
    Init: false,
    AutoRemove: true,
    Binds: [
      ...(seen.Binds ?? [])
        .filter((bind) => !bind.includes(`:${driverInContainer}`))
        .map((bind) => bind.replace(/^[^:]+(?=:\/app(:|$))/, workspace)),
      `${driver}:${driverInContainer}:ro`,
    ],
    Mounts: (seen.Mounts ?? []).map((mount) =>
      mount.Target === '/app' ? { ...mount, Source: workspace } : mount,
    ),
  };
}
