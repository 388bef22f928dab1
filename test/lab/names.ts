import { join } from 'node:path';

/** The folder of the checkout that this file belongs to. */
export const checkout = join(import.meta.dirname, '..', '..');

/** Ignored folder of the checkout for labs and cached images. */
export const labRoot = join(checkout, '.lab');

export interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** One engine and its network namespace. Paths are absolute. */
export interface HostNames {
  /** Id of the lab. */
  readonly id: string;
  readonly name: string;
  readonly index: number;
  readonly namespace: string;
  /** The end of the veth pair that stays on the machine; cutting a host sets it down. */
  readonly link: string;
  /** The veth pair of a delaying wire between `link` and the bridge: its own end, and the bridge's. */
  readonly detour: readonly [string, string];
  readonly address: string;
  readonly url: string;
  readonly socket: string;
  /** State of the engine: certificates, data root, logs. */
  readonly dir: string;
  /** Short path for sockets of the engine's containerd (a socket path ends at 107 bytes). */
  readonly execRoot: string;
  readonly cgroup: string;
  /** A folder of this machine that the host does not see. */
  readonly hidden?: string;
  /** What a client of the engine needs to reach `url`. */
  readonly tls: TlsFiles;
}

/** All names of a lab. They follow from the id alone, so the lab can be removed by its id. */
export interface LabNames {
  readonly id: string;
  readonly dir: string;
  /** Lease of the id and the short paths of the lab. */
  readonly run: string;
  readonly bridge: string;
  readonly bridgeMac: string;
  readonly gateway: string;
  readonly subnet: string;
  /** Parent of every folder that is the same on all engines. */
  readonly workspaces: string;
  /** Parent of folders that only the agents' engine sees. */
  readonly homes: string;
  readonly hosts: readonly HostNames[];
  readonly agentHost: HostNames;
}

/** Lab number 0–255: it selects the lab's /24 and begins its id. */
export function labId(number: number, suffix: string): string {
  return number.toString(16).padStart(2, '0') + suffix;
}

/** Build hosts that one lab can have. */
export const maxHosts = 30;

/** `hosts` build hosts and one small engine for the agents' containers. */
export function labNames(id: string, hosts: number): LabNames {
  const dir = join(labRoot, id);
  const homes = join(dir, 'homes');
  const run = runDir(id);
  const net = `10.213.${Number.parseInt(id.slice(0, 2), 16)}`;
  const client = clientTls(dir);
  const host = (name: string, index: number): HostNames => ({
    id,
    name,
    index,
    namespace: `clawrden-${id}-${name}`,
    link: linkName(id, 'h', index),
    detour: [linkName(id, 'w', index), linkName(id, 'x', index)],
    address: `${net}.${10 + index}`,
    url: `tcp://${net}.${10 + index}:2376`,
    socket: join(run, `${name}.sock`),
    dir: join(dir, name),
    execRoot: join(run, String(index)),
    cgroup: `clawrden-${id}-${name}`,
    tls: client,
  });
  return {
    id,
    dir,
    run,
    bridge: bridgeName(id),
    bridgeMac: `02:00:0a:d5:${id.slice(0, 2)}:01`,
    gateway: `${net}.1`,
    subnet: `${net}.0/24`,
    workspaces: join(dir, 'workspaces'),
    homes,
    hosts: Array.from({ length: hosts }, (_, i) => ({ ...host(`build-${i + 1}`, i + 1), hidden: homes })),
    agentHost: host('agents-1', 0),
  };
}

export function allHosts(names: LabNames): HostNames[] {
  return [names.agentHost, ...names.hosts];
}

export function bridgeName(id: string): string {
  return `clawrden-${id}br`;
}

export function runDir(id: string): string {
  return `/run/clawrden-${id}`;
}

// Interface names end at 15 characters.
function linkName(id: string, kind: string, index: number): string {
  return `clawrden-${id}${kind}${index.toString(36)}`;
}

function clientTls(dir: string): TlsFiles {
  const tls = join(dir, 'tls');
  return { ca: join(tls, 'ca.pem'), cert: join(tls, 'client.pem'), key: join(tls, 'client.key') };
}
