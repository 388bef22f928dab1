import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labRoot } from '../names.ts';
import type { Recipe } from './catalogue.ts';
import { packImage } from './image-archive.ts';

/** Shared by all labs of the checkout; safe to delete while no lab starts. */
export const cacheDir = join(labRoot, 'cache');

export interface CachedImage {
  readonly tag: string;
  readonly id: string;
  readonly archive: string;
}

/** The image as it was made before, or nothing. */
export async function cachedImage(recipe: Recipe): Promise<CachedImage | undefined> {
  const text = await readFile(`${await base(recipe)}.json`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as CachedImage);
}

/** Makes the image; the caller holds the cache's lock. */
export async function makeImage(recipe: Recipe): Promise<CachedImage> {
  const target = await base(recipe);
  const root = `${target}.root`;
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await recipe.make(root);
  const id = await packImage(root, recipe.tag, recipe.config, `${target}.tar`);
  await rm(root, { recursive: true });
  const image = { tag: recipe.tag, id, archive: `${target}.tar` };
  await writeFile(`${target}.json.new`, JSON.stringify(image));
  await rename(`${target}.json.new`, `${target}.json`);
  return image;
}

async function base(recipe: Recipe): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([recipe.tag, recipe.config, recipe.key.texts]));
  for (const file of recipe.key.files) hash.update(await readFile(file));
  const name = recipe.tag.replace(/\W+/g, '-');
  return join(cacheDir, `${name}-${hash.digest('hex').slice(0, 16)}`);
}
