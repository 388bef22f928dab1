import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const tests = ['src', 'gateway', 'shim', 'test'].map((folder) => `${folder}/**/*.test.ts`);
const caseId = /\bA-\d{2,3}\b/g;

it('every case that docs/security.md names is in the title of a test', async () => {
  const page = await readFile(join(root, 'docs/security.md'), 'utf8');
  const claimed = [...page.matchAll(/\bA-(\d{2,3})(?: to A-(\d{2,3}))?/g)].flatMap(([, from, to = from]) =>
    ids(from, to),
  );
  const shown = await casesInTitles();
  expect(claimed.filter((id) => !shown.has(id))).toEqual([]);
});

function ids(from = '', to = ''): string[] {
  const count = Number(to) - Number(from) + 1;
  return Array.from({ length: count }, (_, index) => `A-${String(Number(from) + index).padStart(2, '0')}`);
}

/** Cases in string literals of test files; a range like A-15…A-18 counts for its ends only. */
async function casesInTitles(): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const file of glob(tests, { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    const literals = text.match(/(['"`]).*?\1/g) ?? [];
    for (const id of literals.join('\n').match(caseId) ?? []) found.add(id);
  }
  return found;
}
