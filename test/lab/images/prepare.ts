import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';
import { catalogue } from './catalogue.ts';
import { type CachedImage, cacheDir, cachedImage, makeImage } from './image-cache.ts';

/** All images of the lab, made first where the cache lacks one; two preparations never run at once. */
export async function prepareImages(progress: (line: string) => void): Promise<CachedImage[]> {
  const found = await Promise.all((await catalogue()).map(cachedImage));
  const images = found.filter((image) => image !== undefined);
  if (images.length === found.length) return images;
  progress('making the images (about a minute, once)');
  await mkdir(cacheDir, { recursive: true });
  const program = [process.execPath, join(import.meta.dirname, 'prepare-main.ts')];
  return JSON.parse(await run(['flock', join(cacheDir, 'lock'), ...program], { timeout: 20 * 60_000 }));
}

/** Makes what is missing. Runs in a process of its own that holds the cache's lock. */
export async function makeMissingImages(): Promise<CachedImage[]> {
  const images: CachedImage[] = [];
  for (const recipe of await catalogue())
    images.push((await cachedImage(recipe)) ?? (await makeImage(recipe)));
  return images;
}
