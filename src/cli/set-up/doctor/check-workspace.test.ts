import { chmod, chown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkWorkspace } from './check-workspace.ts';

const isRoot = process.getuid?.() === 0;
let base: string;
let workspace: string;

beforeEach(async () => {
  // Below /tmp, which is sticky: no other user can replace an entry there.
  base = await mkdtemp('/tmp/clawrden-workspace-');
  workspace = join(base, 'a/b/app');
  await mkdir(workspace, { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

const look = (path = workspace) => checkWorkspace('agent coder', path);

describe('A-83: doctor looks at the way to a workspace', () => {
  test('one that only its owner and root can replace is nothing to tell, whatever its own mode', async () => {
    expect(await look()).toEqual([]);
    await chmod(workspace, 0o777);
    expect(await look()).toEqual([]);
    expect(await look(`${workspace}/`)).toEqual([]);
  });

  test('one that is a link, or below one', async () => {
    await symlink(workspace, join(base, 'link'));
    expect(await look(join(base, 'link'))).toMatchObject([
      {
        level: 'warning',
        text: expect.stringContaining(`${join(base, 'link')} is a symbolic link`),
        fix: expect.stringContaining('readlink -f'),
      },
    ]);
    await symlink(join(base, 'a'), join(base, 'way'));
    const [below] = await look(join(base, 'way/b/app'));
    expect(below?.text).toContain(`is below ${join(base, 'way')}, which is a symbolic link`);
    await symlink('/nonexistent', join(base, 'dangling'));
    expect(await look(join(base, 'dangling'))).toHaveLength(1);
  });

  test.each([
    [0o777, true],
    [0o775, true],
    [0o757, true],
    [0o1777, false],
    [0o1775, false],
    [0o755, false],
    [0o700, false],
  ])('one below a folder of mode %o', async (mode, told) => {
    for (const folder of [base, join(base, 'a'), join(base, 'a/b')]) {
      await chmod(folder, mode);
      const found = await look();
      expect(found.map(({ fix }) => fix)).toEqual(told ? [`chmod go-w ${folder}`] : []);
      await chmod(folder, 0o755);
    }
  });

  test('one finding, however many there are', async () => {
    for (const folder of [base, join(base, 'a'), join(base, 'a/b')]) await chmod(folder, 0o777);
    expect(await look()).toHaveLength(1);
  });

  test.skipIf(!isRoot)('one below a folder of a user who is neither root nor its owner', async () => {
    await chown(workspace, 1000, 1000);
    await chown(join(base, 'a/b'), 1000, 1000);
    expect(await look()).toEqual([]);
    await chown(join(base, 'a'), 1001, 1001);
    expect(await look()).toMatchObject([{ level: 'warning', fix: `chown root ${join(base, 'a')}` }]);
  });

  test('one that is not on this machine is for its own machine to tell', async () => {
    expect(await look('/nonexistent/app')).toEqual([]);
  });
});
