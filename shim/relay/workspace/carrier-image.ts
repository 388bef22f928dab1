import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { carrierPath } from './contained-body.ts';

const repository = 'clawrden-carrier';

/** An image that holds the carrier and nothing else. */
export interface CarrierImage {
  readonly name: string;
  /** Makes it on the engine. */
  readonly make: (docker: Docker, abortSignal: AbortSignal) => Promise<void>;
}

export async function carrierImage(binary: string): Promise<CarrierImage> {
  const carrier = await readFile(binary);
  const tag = createHash('sha256').update(carrier).digest('hex').slice(0, 12);
  return {
    name: `${repository}:${tag}`,
    make: async (docker, abortSignal) => {
      const archive = pack();
      archive.entry({ name: carrierPath.slice(1), mode: 0o555 }, carrier);
      archive.finalize();
      const options = { repo: repository, tag, abortSignal };
      await text(await docker.importImage(Readable.from([await buffer(archive)]), options));
    },
  };
}

/** Removes the images of other builds that no container uses. */
export async function removeOtherImages(
  docker: Docker,
  { name }: CarrierImage,
  abortSignal: AbortSignal,
): Promise<void> {
  const found = await docker.listImages({ filters: { reference: [repository] }, ...{ abortSignal } });
  const others = found.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag !== name);
  // One that is in use stays.
  for (const other of others)
    await docker
      .getImage(other)
      .remove({ abortSignal })
      .catch(() => {});
}
