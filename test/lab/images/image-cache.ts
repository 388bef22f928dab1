import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
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

/** The image from an earlier run, or undefined. */
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
  await prune(slug(recipe), basename(target));
  return image;
}

/** Removes the cached images of a name, except the one entry. */
export async function prune(name: string, keep: string): Promise<void> {
  const entry = new RegExp(`^${name}-[0-9a-f]{16}(\\.|$)`);
  const old = (await readdir(cacheDir)).filter((file) => entry.test(file) && !file.startsWith(keep));
  for (const file of old) await rm(join(cacheDir, file), { recursive: true });
}

async function base(recipe: Recipe): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([recipe.tag, recipe.config, recipe.key.texts]));
  for (const file of recipe.key.files) hash.update(await readFile(file));
  return join(cacheDir, `${slug(recipe)}-${hash.digest('hex').slice(0, 16)}`);
}

function slug(recipe: Recipe): string {
  return recipe.tag.replace(/\W+/g, '-');
}
