import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LabHost } from '../lab/lab-host.ts';

/** Everything runs in a ghost, for `timeout` at most; `rules` come before the one that allows it. */
export function ghostly({ timeout = '1m', rules = [] }: { timeout?: string; rules?: string[] } = {}): string {
  return `version: 1
default: deny
workspace: /app
timeout: ${timeout}
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
rules:
${[...rules, '{ name: all, action: allow }'].map((rule) => `  - ${rule}\n`).join('')}complete: true
`;
}

/** Of each plain file, by its path, what `digest` says of its bytes. */
export type Files = Map<string, string>;

export function digest(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** Every plain file below a folder. */
export function filesIn(root: string, folder = '', found: Files = new Map()): Files {
  if (!existsSync(join(root, folder))) return found;
  for (const item of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (item.isDirectory()) filesIn(root, path, found);
    else if (item.isFile()) found.set(path, digest(readFileSync(join(root, path))));
  }
  return found;
}

/** Where the carrier at home has its own files. */
export function areaOf(home: string): string {
  return join(dirname(home), `.${basename(home)}.clawrden`);
}

/** What was kept beside a home, and not applied. */
export function keptBeside(home: string): ReadonlySet<string> {
  return new Set(filesIn(join(areaOf(home), 'kept')).values());
}

/** The container of the carrier of an agent's replica; empty if there is none. */
export async function carrierOn(host: LabHost, agent: string): Promise<string> {
  const filter = ['--filter', `label=clawrden.workspace=${agent}`];
  const { stdout } = await host.docker(['ps', '--quiet', '--no-trunc', ...filter]);
  return stdout.trim();
}

/** The folder of an agent's replica on a host, with the tree in `base`, as this machine sees it. */
export async function volumeOn(host: LabHost, agent: string, gatewayId: string): Promise<string> {
  const labels = [`clawrden.workspace=${agent}`, `clawrden.gateway=${gatewayId}`];
  const filter = labels.flatMap((label) => ['--filter', `label=${label}`]);
  const { stdout } = await host.docker(['volume', 'ls', ...filter, '--format', '{{.Mountpoint}}']);
  const folder = stdout.trim();
  if (folder === '') throw new Error(`${host.name} has no replica of ${agent}`);
  return folder;
}

/** What rsync would do to make a replica what home is: nothing, if they are the same. */
export function difference(home: string, volume: string): string {
  const args = ['-aHAX', '-n', '--delete', '--checksum', '--itemize-changes', '--exclude=/.clawrden'];
  return execFileSync('rsync', [...args, `${home}/`, `${volume}/base/`]).toString();
}
