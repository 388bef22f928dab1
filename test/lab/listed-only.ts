import type { LabHost } from './lab-host.ts';

export interface Listed {
  readonly id: string;
  /** Empty where the engine names none. */
  readonly name: string;
}

/**
 * Docker 20.10 goes on listing a container without a name, and says at once that there is none, where it was renamed or
 * its engine killed while it was removed; only a restart of the engine ends that. Nothing of it runs.
 */
export async function isListedOnly(host: LabHost, { id, name }: Listed): Promise<boolean> {
  if (name !== '') return false;
  const inspect = ['inspect', '--type', 'container', '--format', 'there', id];
  const { code, stderr } = await host.docker(inspect, { timeout: 3_000 });
  return code !== 0 && stderr.includes('No such container');
}
