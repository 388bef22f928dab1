import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt } from '../command.ts';
import { catalogue } from './catalogue.ts';
import { cacheDir, cachedImage, makeImage } from './image-cache.ts';
import { cachedTemplate, makeTemplate } from './template.ts';

/**
 * The folder with every image as an engine has it. Makes it first if it is missing, never in two processes at once.
 */
export async function prepareTemplate(progress: (line: string) => void): Promise<string> {
  const ready = await findTemplate();
  if (ready !== undefined) return ready;
  progress('making the images (about a minute, once)');
  await mkdir(cacheDir, { recursive: true });
  const program = [process.execPath, join(import.meta.dirname, 'prepare-main.ts')];
  const locked = ['flock', '--close', join(cacheDir, 'lock'), ...program];
  const { code, isLate, stdout, stderr } = await attempt(locked, { timeout: 20 * 60_000 });
  if (code === 0) return stdout;
  const why =
    isLate === true ? 'not made within 20 minutes, perhaps by another run; try again' : stderr.trim();
  throw new Error(`the images: ${why || `prepare-main.ts ended with ${code}`}`);
}

/** Makes missing images, in a separate process that holds the cache's lock. */
export async function makeMissing(): Promise<string> {
  const images = [];
  for (const recipe of await catalogue())
    images.push((await cachedImage(recipe)) ?? (await makeImage(recipe)));
  return (await cachedTemplate(images)) ?? (await makeTemplate(images));
}

async function findTemplate(): Promise<string | undefined> {
  const found = await Promise.all((await catalogue()).map(cachedImage));
  const images = found.filter((image) => image !== undefined);
  return images.length === found.length ? await cachedTemplate(images) : undefined;
}
