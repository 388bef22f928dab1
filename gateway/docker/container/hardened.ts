import type { ContainerCreateOptions, HostConfig } from 'dockerode';

/**
 * What every container of the gateway is made with: one program without a terminal, attached by its three streams.
 * After a crash, a restarting engine would wait 10 s for each container that ignores TERM before it answers.
 */
export const attachedProgram = {
  Cmd: [],
  WorkingDir: '/',
  Tty: false,
  OpenStdin: true,
  StdinOnce: true,
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  Healthcheck: { Test: ['NONE'] },
  StopTimeout: 2,
} satisfies ContainerCreateOptions;

/** Docker's default seccomp profile applies, because no other profile is named. */
export const hardening = {
  AutoRemove: true,
  RestartPolicy: { Name: 'no' },
  LogConfig: { Type: 'none', Config: {} },
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  ReadonlyRootfs: true,
  Privileged: false,
  Init: false,
  IpcMode: 'private',
} satisfies HostConfig;
