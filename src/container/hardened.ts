const mebibyte = 1024 * 1024;

/**
 * What every container of ours is made with: one program without a terminal, attached by its three streams.
 * After a crash, a restarting engine would wait 10 s for each container that ignores TERM before it answers.
 */
export const attachedProgram = {
  Cmd: [] as string[],
  WorkingDir: '/',
  Tty: false,
  OpenStdin: true,
  StdinOnce: true,
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  Healthcheck: { Test: ['NONE'] },
  StopTimeout: 2,
};

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
};

/** What a carrier's container has on top of that, at home and on a Docker host. */
export const carrierHardening = {
  ...hardening,
  NetworkMode: 'none',
  PidsLimit: 4,
  Memory: 256 * mebibyte,
  // The same as Memory: no additional swap.
  MemorySwap: 256 * mebibyte,
  Ulimits: [
    { Name: 'nofile', Soft: 4096, Hard: 4096 },
    { Name: 'core', Soft: 0, Hard: 0 },
    // A carrier whose memory is short says so and goes on; one that takes all of its container's is killed.
    { Name: 'data', Soft: 192 * mebibyte, Hard: 192 * mebibyte },
  ],
};

/** Docker would fill an empty volume from the image: a workspace with its files, the init's volume with its init. */
export const uncopied = { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } };
