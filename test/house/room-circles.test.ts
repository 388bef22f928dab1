import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from './pages.ts';

/** Folders whose rooms import each other one way only. The linter holds single files; this holds the rooms. */
const houses = ['src', 'src/cli', 'shim/relay', 'gateway/grpc', 'gateway/docker'] as const;

test.each(houses)(
  'no room of %s imports another that imports it, also not by way of a third',
  async (house) => {
    const imports = await importsOf(house);
    expect(imports.size).toBeGreaterThan(2);
    expect(circlesIn(imports)).toEqual([]);
  },
);

test('finds a circle of three, and of two', () => {
  const imports = new Map([
    ['a', new Set(['b', 'd'])],
    ['b', new Set(['c'])],
    ['c', new Set(['a'])],
    ['d', new Set(['e'])],
    ['e', new Set(['d', 'f'])],
  ]);
  expect(circlesIn(imports)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** Rooms that reach themselves. */
function circlesIn(imports: Imports): string[] {
  return [...imports.keys()].filter((room) => reachedFrom(room, imports).has(room)).sort();
}

function reachedFrom(room: string, imports: Imports): ReadonlySet<string> {
  const reached = new Set<string>();
  const left = [room];
  for (let at = left.pop(); at !== undefined; at = left.pop())
    for (const next of imports.get(at) ?? []) {
      if (!reached.has(next)) left.push(next);
      reached.add(next);
    }
  return reached;
}

/** By room, the other rooms that it imports; types and imports at run time count, tests do not. */
async function importsOf(house: string): Promise<Imports> {
  const imports = new Map<string, Set<string>>();
  for await (const file of glob(`${house}/*/**/*.ts`, { cwd: repository })) {
    if (file.endsWith('.test.ts')) continue;
    const room = roomOf(house, file);
    const text = await readFile(join(repository, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g)) {
      const other = roomOf(house, normalize(join(dirname(file), path)));
      if (room === undefined || other === undefined || other === room) continue;
      imports.set(room, (imports.get(room) ?? new Set()).add(other));
    }
  }
  return imports;
}

/** Files beside the rooms are above them, and belong to none. */
function roomOf(house: string, file: string): string | undefined {
  const [room, ...rest] = file.startsWith(`${house}/`) ? file.slice(house.length + 1).split('/') : [];
  return rest.length === 0 ? undefined : room;
}
