import { expect, test } from 'vitest';
import { carrierBody, replicaName } from './carrier-body.ts';

const volumeOptions = { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } };

test("P14 the create body of a replica's carrier is this and nothing else", () => {
  const init = { name: 'clawrden-init-0123', mountpoint: '/nowhere' };
  expect(carrierBody('clawrden-ws-4567', init)).toEqual({
    Image: 'clawrden-init:empty',
    User: '0:0',
    Entrypoint: ['/.clawrden/carrier'],
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
    NetworkDisabled: true,
    HostConfig: {
      AutoRemove: true,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none', Config: {} },
      CapDrop: ['ALL'],
      CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'LEASE'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Privileged: false,
      Init: false,
      IpcMode: 'private',
      NetworkMode: 'none',
      PidsLimit: 4,
      Memory: 2 ** 28,
      MemorySwap: 2 ** 28,
      Ulimits: [
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'data', Soft: 192 * 2 ** 20, Hard: 192 * 2 ** 20 },
      ],
      Mounts: [
        {
          Type: 'volume',
          Source: 'clawrden-ws-4567',
          Target: '/w',
          ReadOnly: false,
          VolumeOptions: volumeOptions,
        },
        {
          Type: 'volume',
          Source: 'clawrden-init-0123',
          Target: '/.clawrden',
          ReadOnly: true,
          VolumeOptions: volumeOptions,
        },
      ],
    },
  });
});

test('A-562: each home of each agent of each gateway has a volume of its own', () => {
  const pairs = [
    ['one', 'coder', '00'],
    ['one', 'coder', '01'],
    ['one', 'coder', ''],
    ['one', 'coder0', '0'],
    ['one', 'writer', '00'],
    ['two', 'coder', '00'],
    ['onec', 'oder', '00'],
  ] as const;
  const names = pairs.map(([gateway, agent, home]) => replicaName(gateway, { agent, home }));
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^clawrden-ws-[0-9a-f]{16}$/);
});
