import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allIfLong } from '../fixtures/sampled.ts';
import { answerShims } from './answering-relay.ts';
import { askShells, environmentOf, rightAnswer } from './every-shell.ts';
import { busyboxOnly, images, ownFolders, readOnlyEtc } from './images.ts';
import { shim, Tree, usualPath } from './tree.ts';

const wanted = ['--user', '1000', '--lock-binaries', 'npm,docker', '--tools', 'npm,git'];

describe.skipIf(process.getuid?.() !== 0)('the installer', () => {
  test.for(allIfLong(images, 2))(
    'at build time, as root, in $name: every shell and execve find the shim, nothing finds what is locked, and all of it is undone',
    async (image) => {
      await using tree = await Tree.make(image);
      const before = await tree.look();

      const dry = await tree.install([...wanted, '--dry-run']);
      expect(dry).toMatchObject({ code: 0, stderr: '' });
      expect(await tree.look()).toBe(before);

      const { stdout: said, ...end } = await tree.install(wanted);
      expect(end).toMatchObject({ code: 0, stderr: '' });
      expect(said).toMatch(/^linked \/clawrden\/bin\/git$/m);
      const installed = await tree.look();

      await works(tree, said);
      expect(await tree.look()).toBe(installed);

      // With the jail first on PATH, as it is from now on.
      const again = await tree.install(wanted, { env: environmentOf(said) });
      expect(again).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining('nothing to do: '),
      });
      expect(await tree.look()).toBe(installed);

      expect(await tree.install(['--uninstall'])).toMatchObject({ code: 0, stderr: '' });
      expect(await tree.look()).toBe(before);
      expect(await tree.install(['--uninstall'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^nothing to undo: /),
      });
      expect(await tree.look()).toBe(before);
    },
  );

  test.for(allIfLong([busyboxOnly, ownFolders, readOnlyEtc], 1))(
    'at run time, as uid 1000 with the jail mounted, in $name: the shells of its user find the shim, and all of it is undone',
    async (image) => {
      await using tree = await Tree.make(image);
      await mountJail(tree);
      const before = await tree.look();
      const env = { PATH: `/clawrden/bin:${usualPath}` };

      const { stdout: said, ...end } = await tree.install(['--tools', 'npm'], { uid: 1000, env });
      expect(end).toMatchObject({ code: 0, stderr: '' });
      const installed = await tree.look();
      {
        await using _relay = await answerShims(tree.root);
        const answers = await askShells(tree, said);
        const wrong = [...answers].filter(([, answer]) => !answer.startsWith('shim npm\n'));
        expect(wrong).toEqual([]);
      }

      const again = await tree.install(['--tools', 'npm'], { uid: 1000, env });
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to do: ') });
      expect(await tree.look()).toBe(installed);
      expect(await tree.install(['--uninstall'], { uid: 1000, env })).toMatchObject({ code: 0, stderr: '' });
      expect(await tree.look()).toBe(before);
    },
  );

  test.for(allIfLong([busyboxOnly, ownFolders], 1))(
    'as uid 1000 in $name it refuses what it may not do in one line, and changes nothing',
    async (image) => {
      await using tree = await Tree.make(image);
      const plain = await tree.look();
      const noJail = await tree.install(wanted, { uid: 1000 });
      expect(noJail).toMatchObject({
        code: 1,
        stderr:
          "clawrden: install: uid 1000 cannot mkdir /clawrden; run this as root when the image is built, or mount that folder of the agent's there\n",
      });
      expect(await tree.look()).toBe(plain);

      await mountJail(tree);
      const mounted = await tree.look();
      const locking = await tree.install(['--tools', 'npm', '--lock-binaries', 'npm'], { uid: 1000 });
      expect(locking.code).toBe(1);
      expect(locking.stderr).toMatch(
        /^clawrden: install: uid 1000 cannot mv \S+\/npm \S+; run this as root .*, or take npm out of --lock-binaries\n$/,
      );
      expect(await tree.look()).toBe(mounted);
    },
  );
});

async function works(tree: Tree, said: string): Promise<void> {
  await using _relay = await answerShims(tree.root);
  const answers = await askShells(tree, said);
  expect(answers.size).toBeGreaterThan(5);
  expect([...answers].filter(([, answer]) => answer !== rightAnswer)).toEqual([]);

  const asAgent = { uid: 1000, env: environmentOf(said) };
  expect(await tree.run(['git', 'status'], asAgent)).toMatchObject({ code: 0, stdout: 'shim git\n' });
  expect(await tree.run(['docker', 'ps'], asAgent)).toMatchObject({ code: 127 });
  // What may run in place is still found.
  const inPlace = await tree.run(['npm', 'original', 'b c'], asAgent);
  expect(inPlace).toMatchObject({ code: 0, stdout: 'original original b c\n' });
  if (tree.image.python !== undefined) {
    const byPython = await tree.run(['python3', '-c', tree.image.python], asAgent);
    expect(byPython).toMatchObject({ code: 0, stdout: 'shim npm\n' });
  }
}

/** As a relay makes it; both folders are root's. */
async function mountJail({ root }: Tree): Promise<void> {
  const run = join(root, 'run');
  await mkdir(join(root, 'clawrden/bin'), { recursive: true });
  await mkdir(join(run, 'clawrden'), { recursive: true });
  await mkdir(join(root, 'var'), { recursive: true });
  await symlink('/run', join(root, 'var/run')).catch(() => {});
  await copyFile(shim, join(root, 'clawrden/bin/.shim'));
  for (const tool of ['npm', 'git']) await symlink('.shim', join(root, 'clawrden/bin', tool));
}
