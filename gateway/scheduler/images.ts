import { ClawrdenError } from '../../src/errors.ts';
import type { ImageFacts } from '../engine.ts';
import type { DockerHost } from './docker-host.ts';

/** What a tag means: the image of the first host in gateway.yaml that holds it. Throws `image-missing` or `no-host`. */
export async function resolveImage(hosts: readonly DockerHost[], reference: string): Promise<ImageFacts> {
  const up = hosts.filter((host) => host.health === 'up');
  if (up.length === 0) throw new ClawrdenError('no-host', `no Docker host is up${problems(hosts)}`);
  for (const host of up) {
    const facts = await host.images.find(reference);
    if (facts !== undefined) return facts;
  }
  throw new ClawrdenError(
    'image-missing',
    `no Docker host has the image ${reference}; load or pull it there`,
  );
}

function problems(hosts: readonly DockerHost[]): string {
  return hosts.map(({ name, problem }) => `; ${name}: ${problem}`).join('');
}
