import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { pages, repository } from './pages.ts';

/** Folders whose folders are rooms, and the page that names these. */
const houses = [
  ['src', 'docs/architecture.md'],
  ['src/cli', 'docs/architecture.md'],
  ['src/policy', 'docs/architecture.md'],
  ['gateway', 'docs/architecture.md'],
  ['shim/relay', 'docs/architecture.md'],
  ['test', 'test/README.md'],
] as const;

test.each(houses)('every room of %s is named in %s', async (house, page) => {
  const text = await readFile(join(repository, page), 'utf8');
  const rooms = await roomsOf(house);
  expect(rooms.length).toBeGreaterThan(3);
  expect(rooms.filter((room) => !text.includes(`${room}/`))).toEqual([]);
});

it('what a page names by its path is there', async () => {
  const missing: string[] = [];
  for (const page of await pages()) {
    const text = await readFile(join(repository, page), 'utf8');
    for (const path of pathsIn(text)) if (!(await isThere(path))) missing.push(`${page}: ${path}`);
  }
  expect(missing).toEqual([]);
});

it('finds the paths of a page', () => {
  const text =
    'See `src/plan.ts`, `gateway/{a,b}/`, `test/x` and `src/cli/nowhere.ts`; `shim/relay/*.ts` is a pattern.';
  expect(pathsIn(text)).toEqual(['src/plan.ts', 'test/x', 'src/cli/nowhere.ts']);
});

function pathsIn(text: string): string[] {
  const named = text.matchAll(/`((?:src|gateway|shim|test|scripts|proto|docker|docs)\/[\w./-]+)`/g);
  return [...named].map(([, path = '']) => path.replace(/\/$/, ''));
}

async function roomsOf(house: string): Promise<string[]> {
  const found = new Set<string>();
  for await (const file of glob(`${house}/*/**/*.{ts,c,proto,json,yaml}`, {
    cwd: repository,
    exclude: isForeign,
  }))
    found.add(file.slice(house.length + 1).split('/')[0] ?? '');
  return [...found].sort();
}

function isForeign(name: string): boolean {
  return /(^|\/)(node_modules|build|\.lab)(\/|$)/.test(name);
}

/** A page may leave the end of a test's name out. */
async function isThere(path: string): Promise<boolean> {
  for await (const _ of glob([path, `${path}.test.ts`, `${path}.ts`], { cwd: repository })) return true;
  return false;
}
