import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

// Node's own decoder reads many texts as the same bytes.
it('P4: base64url is decoded in one place', async () => {
  const found: string[] = [];
  for await (const file of glob(['src/**/*.ts', 'gateway/**/*.ts', 'shim/**/*.ts'], { cwd: root })) {
    if (file.endsWith('.test.ts') || file.startsWith('src/gen/')) continue;
    const text = await readFile(join(root, file), 'utf8');
    if (/\.from\([^;]*,\s*['"]base64url['"]/.test(text)) found.push(file);
  }
  expect(found).toEqual(['src/text/base64url.ts']);
});
