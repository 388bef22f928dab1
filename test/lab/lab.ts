import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificates } from './certificates.ts';
import { run } from './command.ts';
import { startEngine } from './engine.ts';
import { enableForwarding } from './forwarding.ts';
import { powerOn } from './host.ts';
import type { CachedImage } from './images/image-cache.ts';
import { prepareImages } from './images/prepare.ts';
import { type LabHost, labHost } from './lab-host.ts';
import { takeLease } from './lease.ts';
import { allHosts, type HostNames, type LabNames, labNames } from './names.ts';
import { makeNetwork } from './network.ts';
import { removeLab } from './remove.ts';

export interface LabOptions {
  /** Build hosts beside the agents' host; 2 when left out. */
  readonly hosts?: number;
  /** Leave the lab running when this process ends; it is removed by its id. */
  readonly keep?: boolean;
  readonly progress?: (line: string) => void;
}

/** What another process needs to use a running lab. */
export interface LabDescription {
  readonly id: string;
  readonly hosts: number;
}

export interface Lab extends AsyncDisposable {
  readonly id: string;
  readonly dir: string;
  /** Build hosts, in order: build-1, build-2 … */
  readonly hosts: readonly LabHost[];
  /** The small engine for agents' containers. */
  readonly agentHost: LabHost;
  readonly description: LabDescription;
  /** A folder for uid 1000 that every engine sees at the path returned; made on first use. */
  workspace(name: string): Promise<string>;
  /** The same folder as a volume of this name on every engine. */
  workspaceVolume(name: string): Promise<string>;
  /** Ends every engine and removes everything the lab made. */
  stop(): Promise<void>;
}

/** Starts real engines with images; needs root. Everything is removed when this process ends, however it ends. */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const progress = options.progress ?? (() => {});
  if (process.getuid?.() !== 0)
    throw new Error('clawrden: lab: needs root to make network namespaces; run it as root');
  const images = await prepareImages(progress);
  const id = await takeLease();
  const names = labNames(id, options.hosts ?? 2);
  await writeDescription(names);
  if (!options.keep) await startWatcher(id);
  try {
    await makeCertificates(names);
    await enableForwarding(id);
    await makeNetwork(names);
    progress(`starting ${allHosts(names).length} engines`);
    await Promise.all(allHosts(names).map((host) => boot(host, images)));
  } catch (error) {
    await removeLab(id);
    throw error;
  }
  return attachLab({ id, hosts: names.hosts.length });
}

/** The lab that another process started. Only the process that started it should stop it. */
export function attachLab(description: LabDescription): Lab {
  const names = labNames(description.id, description.hosts);
  const stop = () => removeLab(names.id);
  return {
    id: names.id,
    dir: names.dir,
    hosts: names.hosts.map(labHost),
    agentHost: labHost(names.agentHost),
    description,
    workspace: (name) => makeWorkspace(names, name),
    workspaceVolume: (name) => makeWorkspaceVolume(names, name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The description of a lab of this checkout, or nothing when there is none with this id. */
export async function readDescription(id: string): Promise<LabDescription | undefined> {
  const text = await readFile(join(labNames(id, 0).dir, 'lab.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as LabDescription);
}

async function writeDescription(names: LabNames): Promise<void> {
  const path = join(names.dir, 'lab.json');
  await mkdir(names.workspaces, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ id: names.id, hosts: names.hosts.length }));
  await rename(`${path}.new`, path);
}

async function boot(host: HostNames, images: readonly CachedImage[]): Promise<void> {
  await powerOn(host);
  await startEngine(host);
  for (const image of images) {
    await run(['docker', '-H', `unix://${host.socket}`, 'load', '-qi', image.archive], { timeout: 300_000 });
  }
}

// The watcher reads a pipe whose other end only this process holds: end of file is this process's end.
async function startWatcher(id: string): Promise<void> {
  const log = await open(join(labNames(id, 0).dir, 'watcher.log'), 'a');
  const program = join(import.meta.dirname, 'watcher.ts');
  const child = spawn(process.execPath, [program, id], { detached: true, stdio: ['pipe', log.fd, log.fd] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('spawn', resolve).once('error', reject);
  await promise.finally(() => log.close());
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
}

async function makeWorkspace(names: LabNames, name: string): Promise<string> {
  const path = join(names.workspaces, name);
  await mkdir(path, { recursive: true });
  await run(['chown', '1000:1000', path]);
  return path;
}

async function makeWorkspaceVolume(names: LabNames, name: string): Promise<string> {
  const path = await makeWorkspace(names, name);
  const options = ['--opt', 'type=none', '--opt', 'o=bind', '--opt', `device=${path}`];
  const create = ['volume', 'create', '--driver', 'local', ...options, name];
  await Promise.all(allHosts(names).map((host) => run(['docker', '-H', `unix://${host.socket}`, ...create])));
  return path;
}
