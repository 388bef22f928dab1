import { glob } from 'node:fs/promises';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';

interface Project {
  readonly test: { readonly include: string[]; readonly exclude?: string[] };
}

test('every test file belongs to one kind of test: what stands elsewhere would never run', async () => {
  const { projects } = (config as { test: { projects: Project[] } }).test;
  const takes =
    (file: string) =>
    ({ test: { include, exclude = [] } }: Project) =>
      include.some((pattern) => matchesGlob(file, pattern)) &&
      !exclude.some((pattern) => matchesGlob(file, pattern));
  const files: string[] = [];
  for await (const file of glob('{src,gateway,shim,test}/**/*.test.ts')) files.push(file);
  expect(files.length).toBeGreaterThan(150);
  expect(files.filter((file) => projects.filter(takes(file)).length !== 1)).toEqual([]);
});
