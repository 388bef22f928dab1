import { chmod, chown, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rootFolderAbove } from './root-folder-above.ts';

const isRoot = process.getuid?.() === 0;
let base: string;
let path: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'clawrden-above-')));
  path = join(base, 'a/b/app');
  await mkdir(path, { recursive: true });
});
afterEach(() => rm(base, { recursive: true }));

describe.skipIf(!isRoot)('A-83: where doctor makes a folder as root', () => {
  test("is beside the workspace, also of one that the agent owns, if the folders above are root's", async () => {
    await chown(path, 1000, 1000);
    await chmod(path, 0o777);
    expect(await rootFolderAbove(path)).toBe(join(base, 'a/b'));
  });

  test("is above what is another's, open to others, or a link, and above all that is below it", async () => {
    await chown(join(base, 'a/b'), 1000, 1000);
    expect(await rootFolderAbove(path)).toBe(join(base, 'a'));
    await chmod(join(base, 'a'), 0o777);
    expect(await rootFolderAbove(path)).toBe(base);
    await chmod(join(base, 'a'), 0o1777);
    expect(await rootFolderAbove(path)).toBe(join(base, 'a'));
    await chmod(base, 0o770);
    expect(await rootFolderAbove(path)).not.toContain(base);
    await chmod(base, 0o755);
    await symlink(join(base, 'a/b'), join(base, 'link'));
    expect(await rootFolderAbove(join(base, 'link/app'))).toBe(base);
  });

  test('is nowhere on a file system that is not above the workspace', async () => {
    expect(await rootFolderAbove('/proc/self')).toBe('/proc');
    expect(await rootFolderAbove('/proc')).toBeUndefined();
  });
});
