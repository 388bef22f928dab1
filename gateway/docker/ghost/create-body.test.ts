import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/plan.ts';
import { shapeOf } from '../../scheduler/warm/ghost-shape.ts';
import { createBody } from './create-body.ts';

const init = { name: 'clawrden-init-0123', mountpoint: '/var/lib/docker/volumes/clawrden-init-0123/_data' };

const plan: Plan = {
  agent: 'coder',
  argv: ['npm', 'ci'],
  env: ['PATH=/bin', 'HOME=/home/ghost'],
  cwd: '/app',
  workspace: '/app',
  uid: 1000,
  gid: 1001,
  umask: 0o22,
  strategy: 'ghost',
  image: { reference: 'node:24', id: 'sha256:abc' },
  mounts: [{ kind: 'bind', source: '/srv/coder', target: '/app' }],
  network: 'none',
  limits: { memoryBytes: 2 ** 31, cpus: 1.5, pids: 512, outputBytes: 0, fileBytes: 0 },
  stdin: 'none',
  timeoutMs: 300_000,
  idleTimeoutMs: 0,
  policyHash: 'p',
};

const volumeOptions = { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } };
const initMount = {
  Type: 'volume',
  Source: init.name,
  Target: '/.clawrden',
  ReadOnly: true,
  VolumeOptions: volumeOptions,
};
const hostsMount = {
  Type: 'bind',
  Source: `${init.mountpoint}/hosts`,
  Target: '/etc/hosts',
  ReadOnly: true,
};
/** one container takes no other's pseudo-terminals. */
const terminals = {
  Type: 'volume',
  Source: '',
  Target: '/dev/pts',
  VolumeOptions: {
    NoCopy: true,
    Labels: { 'clawrden.terminals': '' },
    DriverConfig: {
      Name: 'local',
      Options: { type: 'devpts', device: 'devpts', o: 'newinstance,ptmxmode=0666,mode=0620,gid=5,max=64' },
    },
  },
};
const ownTmpfs = {
  '/tmp': 'rw,exec,nosuid,nodev,mode=1777,size=536870912',
  '/run/secrets': 'rw,noexec,nosuid,nodev,mode=0700,uid=1000,gid=1001,size=1048576',
  '/home/ghost': 'rw,exec,nosuid,nodev,mode=0700,uid=1000,gid=1001,size=536870912',
};
const covered = 'rw,exec,nosuid,nodev,mode=0755,uid=1000,gid=1001,size=536870912';

function hostConfig(over: Partial<Plan>, imageVolumes: readonly string[] = []) {
  return createBody(shapeOf({ ...plan, ...over }, undefined), imageVolumes, init).HostConfig;
}

describe('the create body of a ghost', () => {
  test('A-60 P14 is this and nothing else', () => {
    expect(createBody(shapeOf(plan, undefined), [], init)).toEqual({
      Image: 'sha256:abc',
      User: '1000:1001',
      Entrypoint: ['/.clawrden/init'],
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
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        Privileged: false,
        Init: false,
        IpcMode: 'private',
        Ulimits: [
          { Name: 'nofile', Soft: 1024, Hard: 16_384 },
          { Name: 'core', Soft: 0, Hard: 0 },
        ],
        NetworkMode: 'none',
        PidsLimit: 512,
        Memory: 2 ** 31,
        MemorySwap: 2 ** 31,
        NanoCpus: 1_500_000_000,
        Tmpfs: ownTmpfs,
        Mounts: [
          { Type: 'bind', Source: '/srv/coder', Target: '/app', ReadOnly: false },
          initMount,
          hostsMount,
          terminals,
        ],
      },
    });
  });

  test('A-25 carries nothing of the environment: the init is told it', () => {
    const given = shapeOf({ ...plan, env: ['SECRET=x'] }, undefined);
    expect(JSON.stringify(createBody(given, [], init))).not.toContain('SECRET');
  });

  test('a named network is joined, and keeps the hosts file that Docker makes for it', () => {
    const joined = shapeOf({ ...plan, network: 'clawrden-egress', mounts: [] }, undefined);
    const body = createBody(joined, [], init);
    expect(body.NetworkDisabled).toBe(false);
    expect(body.HostConfig?.NetworkMode).toBe('clawrden-egress');
    expect(body.HostConfig?.Mounts).toEqual([initMount, terminals]);
  });

  test.each(['host', 'container:0123', 'ns:/proc/1/ns/net'])('P14 refuses the network %s', (network) => {
    expect(() => hostConfig({ network })).toThrow(expect.objectContaining({ code: 'internal' }));
  });

  test('P14 an empty workspace volume is not filled from the image', () => {
    const mounts = [{ kind: 'volume', source: 'coder-app', target: '/app' }] as const;
    expect(hostConfig({ mounts })?.Mounts?.[0]).toEqual({
      Type: 'volume',
      Source: 'coder-app',
      Target: '/app',
      ReadOnly: false,
      VolumeOptions: volumeOptions,
    });
  });

  test.each([
    ['a path of its own', ['/data'], { '/data': covered }],
    ['a path with a slash behind it', ['/data/'], { '/data': covered }],
    ['the workspace itself', ['/app'], {}],
    ['a name that only begins like the workspace', ['/app-data'], { '/app-data': covered }],
    ['what we mount anyway', ['/tmp', '/home/ghost', '/run/secrets', '/.clawrden', '/etc/hosts'], {}],
    ['two paths', ['/a', '/b'], { '/a': covered, '/b': covered }],
  ])('P14 a VOLUME of the image is covered: %s', (_what, volumes, expected) => {
    expect(hostConfig({}, volumes)?.Tmpfs).toEqual({ ...expected, ...ownTmpfs });
  });

  test('P13 a VOLUME inside the workspace is refused: Docker would make its directory there', () => {
    expect(() => hostConfig({}, ['/app/node_modules'])).toThrow(
      expect.objectContaining({
        code: 'image-missing',
        message: expect.stringContaining('/app/node_modules'),
      }),
    );
  });

  test('no limit stays no limit', () => {
    const limits = { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 };
    expect(hostConfig({ limits })).toMatchObject({ Memory: 0, MemorySwap: 0, NanoCpus: 0, PidsLimit: 0 });
  });

  test('without an image there is no ghost', () => {
    const { image: _image, ...without } = plan;
    expect(() => shapeOf(without, undefined)).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});
