import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

it('every test file runs, as a test of one kind', { timeout: 60_000 }, async () => {
  const { stdout: files } = await run('git', ['ls-files', '*.test.ts'], { cwd: root });
  const { stdout: listed } = await run('vitest', ['list', '--filesOnly', '--json'], {
    cwd: root,
    maxBuffer: 1 << 24,
  });
  const inKinds = (JSON.parse(listed) as { file: string; projectName: string }[]).map(({ file }) =>
    file.slice(root.length + 1),
  );
  expect(inKinds.toSorted()).toEqual(files.trim().split('\n').toSorted());
});
