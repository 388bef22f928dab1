import { readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreForwarding } from './forwarding.ts';
import { dropPrivateFolders, powerOff } from './host.ts';
import { processesMentioning } from './host-processes.ts';
import { leaseState, leases, releaseLease } from './lease.ts';
import { labNames, labRoot, runDir } from './names.ts';
import { dropNamespaceFolder, firewallRules, links, namespaces, removeNetwork } from './network.ts';

const cgroupRoot = '/sys/fs/cgroup';

/** Ends and removes a lab in any state, by its id alone. Doing it twice is not an error. */
export async function removeLab(id: string): Promise<void> {
  const names = labNames(id, 0);
  await thawCgroups(id);
  await Promise.all((await namespaces(id)).map((namespace) => powerOff({ namespace })));
  await removeNetwork(names);
  await removeCgroups(id);
  await rm(names.dir, { recursive: true, force: true });
  await restoreForwarding(id);
  await releaseLease(id);
  if ((await leases()).length > 0) return;
  await dropPrivateFolders();
  await dropNamespaceFolder();
}

/** Removes labs whose process and keeper are both gone, and folders of labs that a restart of the machine ended. */
export async function removeAbandoned(): Promise<void> {
  const folders = await labFolders(); // before the leases: a lab has its lease before and after its folder
  const held = await leases();
  for (const id of folders) if (!held.includes(id)) await removeLab(id);
  for (const id of held) if ((await leaseState(id)) === 'abandoned') await removeLab(id);
}

/** Ids of the labs of this checkout that are up or were left behind. */
export async function labFolders(): Promise<string[]> {
  const names = await readdir(labRoot).catch(() => []);
  return names.filter((name) => /^[0-9a-f]{4}$/.test(name));
}

/** One line for each part of a lab that still exists; empty after a clean end. */
export async function leftovers(id: string): Promise<string[]> {
  const kinds: [string, (string | number)[]][] = [
    ['process', await processesMentioning(`clawrden-${id}`)],
    ['namespace', await namespaces(id)],
    ['link', await links(id)],
    ['firewall rule', await firewallRules(id)],
    ['mount', await mounts(id)],
    ['cgroup', await cgroups(id)],
    ['folder', await foldersOf(id)],
  ];
  return kinds.flatMap(([kind, items]) => items.map((item) => `${kind} ${item}`));
}

async function mounts(id: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const points = lines.map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.includes(`clawrden-${id}`) || point.startsWith(join(labRoot, id)));
}

async function foldersOf(id: string): Promise<string[]> {
  const run = (await leases()).filter((lease) => lease === id).map(runDir);
  const dir = (await labFolders()).filter((name) => name === id);
  return [...run, ...dir.map((name) => join(labRoot, name))];
}

/** A process of a container that is paused ends only when it runs again, also by SIGKILL. */
async function thawCgroups(id: string): Promise<void> {
  for (const path of await cgroupsAndBelow(id)) {
    await writeFile(join(path, 'freezer.state'), 'THAWED', { flag: 'r+' }).catch(() => {});
    await writeFile(join(path, 'cgroup.freeze'), '0', { flag: 'r+' }).catch(() => {});
  }
}

async function removeCgroups(id: string): Promise<void> {
  for (const path of await cgroupsAndBelow(id))
    await rmdir(path).catch((error: NodeJS.ErrnoException) => {
      // Another lab that started together with this one was first.
      if (error.code !== 'ENOENT') throw error;
    });
}

/** What is deepest comes first. */
async function cgroupsAndBelow(id: string): Promise<string[]> {
  const trees = (await cgroups(id)).map(async (top) => {
    const below = await readdir(top, { recursive: true, withFileTypes: true }).catch(() => []);
    const paths = below
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    return [...paths.sort().reverse(), top];
  });
  return (await Promise.all(trees)).flat();
}

// Version 1 has one tree for each controller, version 2 a single tree.
async function cgroups(id: string): Promise<string[]> {
  const controllers = await readdir(cgroupRoot);
  const parents = [cgroupRoot, ...controllers.map((name) => join(cgroupRoot, name))];
  const found = parents.map(async (parent) => {
    const children = await readdir(parent).catch(() => []);
    return children.filter((name) => name.startsWith(`clawrden-${id}-`)).map((name) => join(parent, name));
  });
  return (await Promise.all(found)).flat();
}
