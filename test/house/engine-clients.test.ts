import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

// The library follows redirections; `boundAnswers` makes its requests in its place.
it('A-525: each client of an engine makes its requests by boundAnswers', async () => {
  const found: string[] = [];
  for await (const file of glob(['src/**/*.ts', 'gateway/**/*.ts', 'shim/**/*.ts'], { cwd: root })) {
    if (file.endsWith('.test.ts')) continue;
    const text = await readFile(join(root, file), 'utf8');
    if (text.replaceAll('boundAnswers(new Docker(', '').includes('new Docker(')) found.push(file);
  }
  expect(found).toEqual([]);
});
