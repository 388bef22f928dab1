import type { LabHost } from './lab-host.ts';

export interface Listed {
  readonly id: string;
  /** Empty if the engine names no container. */
  readonly name: string;
}

/**
 * Containers of Docker 20.10 that were renamed, or whose engine was killed, during their removal: the engine lists
 * them without a name and at the same time says that they do not exist, until it restarts. Nothing of them runs.
 */
export async function isListedOnly(host: LabHost, { id, name }: Listed): Promise<boolean> {
  if (name !== '') return false;
  const inspect = ['inspect', '--type', 'container', '--format', 'there', id];
  const { code, stderr } = await host.docker(inspect, { timeout: 3_000 });
  return code !== 0 && stderr.includes('No such container');
}
