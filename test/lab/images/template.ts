import { createHash } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeCertificates } from '../certificates.ts';
import { run } from '../command.ts';
import { startEngine, stopEngine } from '../engine.ts';
import { powerOff, powerOn } from '../host.ts';
import { keepLease } from '../keeper.ts';
import { type HostNames, labNames } from '../names.ts';
import { makeNetwork } from '../network.ts';
import { type CachedImage, cacheDir, prune } from './image-cache.ts';

// What an engine knows of its images. These files are only replaced or added, so engines may share them.
const parts = ['image', 'overlay2'];

/** The images as an engine has them after loading, which takes seconds; undefined if not made yet. */
export async function cachedTemplate(images: readonly CachedImage[]): Promise<string | undefined> {
  const path = await templatePath(images);
  return access(path).then(
    () => path,
    () => undefined,
  );
}

/** Loads the images into a new engine and keeps its files; the caller holds the cache's lock. */
export async function makeTemplate(images: readonly CachedImage[]): Promise<string> {
  const path = await templatePath(images);
  const { id, release } = await keepLease();
  try {
    const host = labNames(id, 0).agentHost;
    await loadImages(id, host, images);
    await rm(`${path}.new`, { recursive: true, force: true });
    await mkdir(`${path}.new`, { recursive: true });
    for (const part of parts) await rename(join(host.dir, 'data', part), join(`${path}.new`, part));
    await rename(`${path}.new`, path);
  } finally {
    await release();
  }
  await prune('engine', basename(path));
  return path;
}

/** Gives a new engine the images, by hard links. */
export async function seedEngine(host: HostNames, template: string): Promise<void> {
  const data = join(host.dir, 'data');
  await mkdir(data, { recursive: true, mode: 0o711 });
  await run(['cp', '-al', `${template}/.`, data]);
}

async function loadImages(id: string, host: HostNames, images: readonly CachedImage[]): Promise<void> {
  const names = labNames(id, 0);
  await makeCertificates(names);
  await makeNetwork(names);
  await powerOn(host);
  await startEngine(host);
  for (const image of images) {
    await run(['docker', '-H', `unix://${host.socket}`, 'load', '-qi', image.archive], { timeout: 300_000 });
  }
  await stopEngine(host, 'SIGTERM');
  await powerOff(host);
}

async function templatePath(images: readonly CachedImage[]): Promise<string> {
  const version = await run(['dockerd', '--version']);
  const ids = images.map((image) => `${image.tag} ${image.id}`);
  const hash = createHash('sha256').update([version, ...ids].join('\n'));
  return join(cacheDir, `engine-${hash.digest('hex').slice(0, 16)}`);
}
