import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const byHand = /addEventListener\(\s*'abort'|addAbortListener|\.onabort\b/;

test('who listens to an abort does it by src/abort.ts, which also stops listening', () => {
  const files = globSync('{src,gateway,shim/relay}/**/*.ts', { cwd: root }).filter(
    (file) => !file.startsWith('src/gen/') && !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(400);
  const found = files.filter((file) => byHand.test(readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual(['src/abort.ts']);
});
