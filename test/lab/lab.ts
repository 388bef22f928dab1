import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificates } from './certificates.ts';
import { run } from './command.ts';
import { startEngine } from './engine.ts';
import { enableForwarding } from './forwarding.ts';
import { powerOn } from './host.ts';
import { prepareTemplate } from './images/prepare.ts';
import { seedEngine } from './images/template.ts';
import { keepLease } from './keeper.ts';
import { type LabHost, labHost } from './lab-host.ts';
import { letGo } from './lease.ts';
import { allHosts, type HostNames, type LabNames, labNames } from './names.ts';
import { makeNetwork } from './network.ts';
import { removeAbandoned, removeLab } from './remove.ts';

export interface LabOptions {
  /** Build hosts beside the agents' host; 2 if absent. */
  readonly hosts?: number;
  /** Leaves the lab running when this process ends; it is removed by its id. */
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
  /** Address at which the hosts reach this machine, such as a gateway that a test runs. */
  readonly machine: string;
  /** Build hosts, in order: build-1, build-2 … */
  readonly hosts: readonly LabHost[];
  /** The small engine for agents' containers. */
  readonly agentHost: LabHost;
  readonly description: LabDescription;
  /** A folder for uid 1000 that every engine has at the returned path; created on first use. */
  workspace(name: string): Promise<string>;
  /** The same folder as a volume of this name on every engine. */
  workspaceVolume(name: string): Promise<string>;
  /** A folder for uid 1000 that only the agents' engine has; created on first use. */
  home(name: string): Promise<string>;
  /** Ends every engine and removes everything the lab made. */
  stop(): Promise<void>;
}

/** Starts real engines with images; needs root. Everything is removed when this process ends in any way. */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const progress = options.progress ?? (() => {});
  if (process.getuid?.() !== 0)
    throw new Error('clawrden: lab: needs root for network namespaces; run it as root');
  await removeAbandoned();
  const template = await prepareTemplate(progress);
  const { id, release } = await keepLease();
  const names = labNames(id, options.hosts ?? 2);
  try {
    await bringUp(names, template, progress);
    if (options.keep === true) await letGo(id);
  } catch (error) {
    await release();
    throw error;
  }
  return options.keep === true ? attachLab({ id, hosts: names.hosts.length }) : makeLab(names, release);
}

/** The lab that another process started, from its description. */
export function attachLab({ id, hosts }: LabDescription): Lab {
  return makeLab(labNames(id, hosts), () => removeLab(id));
}

/** The description of a lab of this checkout; undefined if there is no lab with this id. */
export async function readDescription(id: string): Promise<LabDescription | undefined> {
  const text = await readFile(join(labNames(id, 0).dir, 'lab.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as LabDescription);
}

function makeLab(names: LabNames, stop: () => Promise<void>): Lab {
  return {
    id: names.id,
    dir: names.dir,
    machine: names.gateway,
    hosts: names.hosts.map(labHost),
    agentHost: labHost(names.agentHost),
    description: { id: names.id, hosts: names.hosts.length },
    workspace: (name) => makeFolder(names.workspaces, name),
    home: (name) => makeFolder(names.homes, name),
    workspaceVolume: (name) => makeWorkspaceVolume(names, name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function bringUp(names: LabNames, template: string, progress: (line: string) => void): Promise<void> {
  progress(`making ${names.id} with ${allHosts(names).length} engines`);
  await writeDescription(names);
  await makeCertificates(names);
  await enableForwarding(names.id);
  await makeNetwork(names);
  await Promise.all(allHosts(names).map((host) => boot(host, template)));
}

async function writeDescription(names: LabNames): Promise<void> {
  const path = join(names.dir, 'lab.json');
  await mkdir(names.workspaces, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ id: names.id, hosts: names.hosts.length }));
  await rename(`${path}.new`, path);
}

async function boot(host: HostNames, template: string): Promise<void> {
  await Promise.all([seedEngine(host, template), powerOn(host)]);
  await startEngine(host);
}

async function makeFolder(parent: string, name: string): Promise<string> {
  const path = join(parent, name);
  await mkdir(path, { recursive: true });
  await run(['chown', '1000:1000', path]);
  return path;
}

async function makeWorkspaceVolume(names: LabNames, name: string): Promise<string> {
  const path = await makeFolder(names.workspaces, name);
  const options = ['--opt', 'type=none', '--opt', 'o=bind', '--opt', `device=${path}`];
  const create = ['volume', 'create', '--driver', 'local', ...options, name];
  await Promise.all(allHosts(names).map((host) => run(['docker', '-H', `unix://${host.socket}`, ...create])));
  return path;
}
