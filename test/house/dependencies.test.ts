import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const dependencies = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const names = Object.keys(dependencies.dependencies);

it('every dependency is imported by what is shipped', async () => {
  const imported = await importedPackages(['src/**/*.ts', 'gateway/**/*.ts', 'shim/**/*.ts']);
  expect(names.filter((name) => !imported.has(name))).toEqual([]);
});

it('every dependency has its reason in ADR 0007', async () => {
  const page = await readFile(join(root, 'docs/adr/0007-dependencies.md'), 'utf8');
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

async function importedPackages(patterns: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const file of glob(patterns, { cwd: root, exclude: (name) => name.endsWith('.test.ts') })) {
    const text = await readFile(join(root, file), 'utf8');
    const specifiers = text.matchAll(/\b(?:from|import)[ (]['"](@[^'"/]+\/[^'"/]+|[^'"./][^'"/]*)/g);
    for (const [, name = ''] of specifiers) found.add(name);
  }
  return found;
}
