import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Inspected } from '../stack/engine-events.ts';

/** What a ghost may see of its host. */
export interface GhostWorld {
  /** Folders on the hosts, and `uid:gid`, by agent. */
  readonly workspaces: Readonly<Record<string, string>>;
  readonly users: Readonly<Record<string, string>>;
  readonly stateDir: string;
}

/** A-60, P14: the properties that the engine must report of every ghost. */
export async function expectHardened(ghost: Inspected, world: GhostWorld): Promise<void> {
  const { Config, HostConfig } = ghost;
  const { 'clawrden.agent': agent = '', ...labels } = Config.Labels;
  expect(Config.User).toBe(world.users[agent]);
  expect(HostConfig).toMatchObject(hardening);
  expect(HostConfig['NetworkMode']).toBe('none');
  expect(HostConfig['PidsLimit']).toBeGreaterThan(0);
  expect(HostConfig['Memory']).toBeGreaterThan(0);
  expect(HostConfig['MemorySwap']).toBe(HostConfig['Memory']);
  expect(HostConfig['NanoCpus']).toBeGreaterThan(0);
  for (const option of refusedOptions) expect(HostConfig[option] ?? []).toEqual([]);
  expect(Config.Image).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(labels['clawrden.gateway']).toBe(
    (await readFile(join(world.stateDir, 'gateway-id'), 'utf8')).trim(),
  );
  expect(Number(labels['clawrden.expires']) * 1000).toBeGreaterThan(Date.now());
  expectMounts(ghost, world.workspaces[agent] ?? '');
}

const hardening = {
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  ReadonlyRootfs: true,
  Privileged: false,
  AutoRemove: true,
  PidMode: '',
  IpcMode: 'private',
  UTSMode: '',
  UsernsMode: '',
  LogConfig: { Type: 'none' },
};

/** Each is null or an empty list. */
const refusedOptions = ['Binds', 'CapAdd', 'Devices', 'DeviceRequests', 'VolumesFrom', 'GroupAdd', 'Links'];

/** The workspace's root, terminals, and from the init's volume the init and a hosts file, both read-only. */
function expectMounts({ Mounts }: Inspected, workspace: string): void {
  const seen = Mounts.map(({ Source, Destination, RW }) => ({ Source: String(Source), Destination, RW }));
  expect(seen).not.toContainEqual(
    expect.objectContaining({ Source: expect.stringContaining('docker.sock') }),
  );
  const ours = seen.filter(({ Destination }) => Destination !== '/app');
  expect(seen.filter(({ Destination }) => Destination === '/app')).toEqual([
    { Source: workspace, Destination: '/app', RW: true },
  ]);
  expect(ours.map(({ Destination, RW }) => `${String(Destination)} ${String(RW)}`).sort()).toEqual([
    '/.clawrden false',
    '/dev/pts true',
    '/etc/hosts false',
  ]);
  for (const { Source, Destination } of ours)
    if (Destination !== '/dev/pts') expect(Source).toContain('/volumes/clawrden-init');
}
