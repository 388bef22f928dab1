import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

// What is printed is escaped outside of ASCII, because others wrote parts of it: words of ours would be, too.
it('no text in a program has a character outside of ASCII', async () => {
  const found: string[] = [];
  for await (const file of glob(['src/**/*.ts', 'gateway/**/*.ts', 'shim/**/*.ts'], { cwd: root })) {
    if (file.endsWith('.test.ts') || file.startsWith('src/gen/')) continue;
    for (const line of (await readFile(join(root, file), 'utf8')).split('\n'))
      if (/[^\0-\x7f]/.test(line.replace(/^\s*(?:\/\/|\/?\*).*/, ''))) found.push(`${file}: ${line.trim()}`);
  }
  expect(found).toEqual([]);
});
