import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importTable } from './import-table.ts';

it('the table of imports in docs/architecture.md says what the linter holds', async () => {
  const never = await neverColumn();
  for (const place of ['src', 'src/init-client', 'src/cli', 'shim/relay', 'gateway core']) {
    const row = importTable.find((candidate) => candidate.place === place);
    const folders = row?.folders.filter((folder) => folder !== 'test' && !folder.startsWith('gateway/'));
    const packages = row?.packages.filter((name) => name !== '@fastify');
    expect([place, never.get(place)?.sort()]).toEqual([place, [...folders!, ...packages!].sort()]);
  }
});

it('docs/architecture.md names every adapter', async () => {
  const page = await architecturePage();
  const adapters = importTable.map(({ place }) => place).filter((place) => /^gateway\/[a-z]+$/.test(place));
  const row = page.split('\n').find((line) => line.startsWith('| adapters:'));
  expect(adapters.filter((adapter) => !row?.includes(`\`${adapter}\``))).toEqual([]);
});

/** By place, the names between backticks in the last column. */
async function neverColumn(): Promise<Map<string, string[]>> {
  const rows = [...(await architecturePage()).matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm)];
  return new Map(rows.map(([, place = '', cell = '']) => [place.replaceAll('`', ''), names(cell)]));
}

function names(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

function architecturePage(): Promise<string> {
  return readFile(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
}
