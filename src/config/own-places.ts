import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RelayConfig } from './relay-config.ts';

export type OwnPlaces = Pick<RelayConfig, 'agents' | 'docker' | 'file' | 'identity' | 'state'>;

/** Places of a relay that no folder of an agent is in or holds: as they are written, and where they lead. */
export async function ownPlaces({
  agents,
  docker,
  file,
  identity,
  state,
}: OwnPlaces): Promise<readonly string[]> {
  const sockets = agents.map(({ socket }) => dirname(socket));
  const written = [state, identity, file, new URL(docker).pathname, ...sockets];
  const led = await Promise.all(written.map((path) => realpath(path).catch(() => path)));
  return [...new Set([...written, ...led])];
}

/** Volumes that a gateway makes on an engine; programs that run as root are in some of them. */
export function isOwnVolume(name: string): boolean {
  return /^clawrden-(init|ws)-/.test(name);
}
