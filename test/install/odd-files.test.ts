import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attempt, run } from '../lab/command.ts';
import { busyboxOnly, ownFolders, scratch } from './images.ts';
import { script, shim, Tree } from './tree.ts';

const wanted = ['--user', '1000', '--tools', 'npm'];

describe.skipIf(process.getuid?.() !== 0)('files of an image that are not as they usually are', () => {
  test('A-219 P20: a pipe in the place of the users, of the record or of the shim is not waited for', async () => {
    await using tree = await Tree.make(scratch);
    const installer = (...args: string[]) => attempt(['sh', script, '--prefix', tree.root, ...args]);
    const withShim = [...wanted, '--shim', shim];
    for (const folder of ['etc', 'clawrden/bin']) await mkdir(join(tree.root, folder), { recursive: true });
    const before = await tree.look();
    const withPipe = async (place: string, argLists: readonly string[][], code: number, says: string) => {
      await run(['mkfifo', join(tree.root, place)]);
      for (const args of argLists) {
        const ended = await installer(...args);
        expect({ place, args, ...ended }).toMatchObject({ place, args, code });
        expect(ended.stdout + ended.stderr).toContain(says);
      }
      await installer('--uninstall', '--shim', shim);
      await rm(join(tree.root, place));
      expect(await tree.look()).toBe(before);
    };
    await withPipe('etc/passwd', [withShim], 0, 'no home: uid 1000 has none in /etc/passwd\n');
    const record = 'clawrden/installed';
    await withPipe(record, [withShim, ['--uninstall']], 1, 'installed is a link, or no file: remove it');
    const noShim = [...wanted, '--lock-binaries', 'docker'];
    await withPipe('clawrden/bin/.shim', [withShim, noShim], 1, '.shim is a link, or no file: remove it');
  });

  test.for([busyboxOnly, ownFolders])(
    'A-220: a startup file with NUL bytes in $name is left as it is, and the next one has the line',
    async (image) => {
      await using tree = await Tree.make(image);
      const profile = join(tree.root, 'etc/profile');
      await writeFile(profile, `a=1\n\0b=2\0\n${await readFile(profile, 'utf8')}`);
      const before = await tree.look();
      const { stdout } = await tree.install(wanted);
      expect(stdout).toContain('left /etc/profile as it is: it has NUL bytes');
      expect(stdout).toMatch(/^put \/clawrden\/bin first on PATH in \/home\/agent\/\.(bash_)?profile$/m);
      expect(await tree.install(['--uninstall'])).toMatchObject({ code: 0 });
      expect(await tree.look()).toBe(before);
    },
  );

  test.for([busyboxOnly, ownFolders])(
    'A-220: no NUL byte of $name is lost that came into a startup file later',
    async (image) => {
      await using tree = await Tree.make(image);
      const profile = join(tree.root, 'etc/profile');
      await tree.install(wanted);
      const installed = await readFile(profile, 'utf8');
      await writeFile(profile, `${installed}\0later\n`);
      const refused = await tree.install(['--uninstall']);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^clawrden: install: \/etc\/profile has NUL bytes.* take the line .*\n$/,
        ),
      });
      const line = installed.split('\n').find((each) => each.endsWith('# clawrden'));
      const mended = `${installed}\0later\n`.replace(`${line}\n`, '');
      await writeFile(profile, mended);
      expect(await tree.install(['--uninstall'])).toMatchObject({ code: 0, stderr: '' });
      expect(await readFile(profile, 'utf8')).toBe(mended);
      expect(existsSync(join(tree.root, 'clawrden'))).toBe(false);
    },
  );

  test.for([busyboxOnly, ownFolders])(
    'A-221 P20: in $name a startup file of a mebibyte costs a pass over it, and is the same again',
    async (image) => {
      await using tree = await Tree.make(image);
      const profile = join(tree.root, 'etc/profile');
      const line = '# what somebody has to say';
      await writeFile(profile, `${await readFile(profile, 'utf8')}\n${`${line}\n`.repeat(40_000)}${line}`);
      const before = await tree.look();
      expect(await tree.install(wanted)).toMatchObject({ code: 0, stderr: '' });
      expect(await readFile(profile, 'utf8')).toMatch(/# clawrden\n$/);
      expect(await tree.install(['--uninstall'])).toMatchObject({ code: 0, stderr: '' });
      expect(await tree.look()).toBe(before);
    },
  );

  test('A-222: what a kernel finds behind forty links is locked, and nothing behind more', async () => {
    for (const count of [40, 41]) {
      await using tree = await Tree.make(scratch);
      const bin = join(tree.root, 'usr/bin');
      // npm is the first one.
      for (let at = 1; at < count; at += 1)
        await symlink(`link-${at}`, join(bin, at === 1 ? 'npm' : `link-${at - 1}`));
      await symlink('docker', join(bin, `link-${count - 1}`));
      const isFound = await readFile(join(bin, 'npm')).then(
        () => true,
        () => false,
      );
      expect({ count, isFound }).toEqual({ count, isFound: count === 40 });
      const line = ['--prefix', tree.root, '--shim', shim, '--lock-binaries', 'npm', '--tools', 'npm'];
      expect(await attempt(['sh', script, ...line])).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(join(bin, 'npm.original'))).toBe(isFound);
    }
  });
});
