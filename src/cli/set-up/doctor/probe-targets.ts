import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseSshUrl } from '../../../ssh/ssh-destination.ts';
import type { EngineAddress } from './engine-request.ts';
import type { Target } from './probe-network.ts';

export interface NamedTarget extends Target {
  readonly what: 'engine' | 'ssh' | 'metadata service';
}

/** Where clouds tell a machine its credentials: AWS (and most others), ECS, AWS by IPv6, Alibaba, Azure, Oracle. */
const metadata: readonly NamedTarget[] = [
  ...['169.254.169.254', '169.254.170.2', 'fd00:ec2::254'],
  ...['100.100.100.200', '168.63.129.16', '192.0.0.192'],
].map((address) => ({ what: 'metadata service', address, port: 80 }));

const [plain, secure, ssh] = [2375, 2376, 22];

/**
 * What no container of a Docker network should reach. `gateways`: addresses of the Docker host itself in that network;
 * `hosts`: all Docker hosts of the gateway.
 */
export async function probeTargets(
  gateways: readonly string[],
  hosts: readonly EngineAddress[],
): Promise<readonly NamedTarget[]> {
  const engines = (await Promise.all(hosts.map(endpointsOf))).flat();
  const ports = new Set([
    plain,
    secure,
    ...engines.flatMap(({ what, port }) => (what === 'engine' ? [port] : [])),
  ]);
  const here = gateways.flatMap((address) => [
    ...[...ports].map((port) => ({ what: 'engine', address, port }) as const),
    { what: 'ssh', address, port: ssh } as const,
  ]);
  const all = [...here, ...engines, ...metadata];
  const first = ({ address, port }: Target) =>
    all.findIndex((other) => other.address === address && other.port === port);
  return all.filter((target, at) => first(target) === at);
}

/** By ssh and by TLS an engine is at an address; by a Unix socket it is at none. */
async function endpointsOf({ engine }: EngineAddress): Promise<NamedTarget[]> {
  const { protocol, hostname, port } = new URL(engine);
  if (protocol !== 'tcp:' && parseSshUrl(engine) === undefined) return [];
  const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, ''));
  const isSsh = protocol === 'ssh:';
  const at = port === '' ? (isSsh ? ssh : secure) : Number(port);
  return addresses
    .filter((address) => !/^(?:127\.|::1$)/.test(address))
    .map((address) => ({ what: isSsh ? 'ssh' : 'engine', address, port: at }));
}

/** None, if it cannot be looked up: then nobody reaches it by that name from here. */
async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
