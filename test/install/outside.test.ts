import { chmod, chown, cp, link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attempt, type CommandResult, run } from '../lab/command.ts';
import { answerShims } from './answering-relay.ts';
import { environmentOf } from './every-shell.ts';
import { busyboxOnly, scratch } from './images.ts';
import { script, shim, Tree, usualPath } from './tree.ts';

const isRoot = process.getuid?.() === 0;

/** Changes the tree from here, by the shell of this machine. */
function fromOutside(tree: Tree, args: readonly string[], uid = 0): Promise<CommandResult> {
  const as = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return attempt([...as, 'sh', script, '--prefix', tree.root, '--shim', shim, ...args]);
}

describe.skipIf(!isRoot)('from outside', () => {
  test.for([0, 1000])(
    'a tree without a shell, which is of uid %i: execve with PATH alone finds the shim',
    async (uid) => {
      await using tree = await Tree.make(scratch);
      await run(['chown', '-R', `${uid}:${uid}`, tree.root]);
      const before = await tree.look();
      const wanted = ['--lock-binaries', 'docker', '--tools', 'npm'];
      const { stdout: said, ...end } = await fromOutside(tree, wanted, uid);
      expect(end).toMatchObject({ code: 0, stderr: '' });
      expect(environmentOf(said)['PATH']).toBe(`/clawrden/bin:${usualPath}`);
      const installed = await tree.look();
      {
        await using _relay = await answerShims(tree.root);
        const env = environmentOf(said);
        expect(await tree.run(['npm', 'x'], { uid: 1000, env })).toMatchObject({
          code: 0,
          stdout: 'shim npm\n',
        });
        expect(await tree.run(['docker'], { uid: 1000, env })).toMatchObject({ code: 127 });
      }
      expect(await fromOutside(tree, wanted, uid)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('nothing to do: '),
      });
      expect(await tree.look()).toBe(installed);
      expect(await fromOutside(tree, ['--uninstall'], uid)).toMatchObject({ code: 0, stderr: '' });
      expect(await tree.look()).toBe(before);
    },
  );

  test('a link of the tree never leads out of it', async () => {
    await using tree = await Tree.make(busyboxOnly);
    await using other = await Tree.make(scratch);
    const { root } = tree;
    const up = '../'.repeat(12);
    // Of what a link leads to all but the last folder is there.
    await mkdir(join(root, dirname(other.root)), { recursive: true });
    await run(['rm', '-r', join(root, 'etc/profile.d'), join(root, 'etc/profile')]);
    await symlink(other.root, join(root, 'clawrden'));
    await symlink(`${up}${other.root}/profile`, join(root, 'etc/profile'));
    await symlink(`${up}${other.root}/app`, join(root, 'etc/profile.d'));
    await run(['rm', '-r', join(root, 'usr/local/bin')]);
    await symlink(`${up}${other.root}/usr/bin`, join(root, 'usr/local/bin'));
    await run(['rm', '-rf', join(root, 'home/agent/bin')]);
    await symlink('x\n/opt', join(root, 'home/agent/bin'));
    await symlink(`${other.root}/usr/bin`, join(root, 'opt'));
    const outside = await other.look();
    const before = await tree.look();
    expect(await fromOutside(tree, ['--lock-binaries', 'docker,npm', '--user', '1000'])).toMatchObject({
      code: 0,
    });
    expect(await other.look()).toBe(outside);
    expect(await tree.look()).not.toBe(before);
    expect(await fromOutside(tree, ['--uninstall'])).toMatchObject({ code: 0, stderr: '' });
    expect(await other.look()).toBe(outside);
    expect(await tree.look()).toBe(before);
  });

  test('a link in the place of what the script writes is not followed', async () => {
    await using tree = await Tree.make(scratch);
    await using other = await Tree.make(scratch);
    await mkdir(join(tree.root, 'clawrden/bin'), { recursive: true });
    await symlink(join(other.root, 'app/program'), join(tree.root, 'clawrden/bin/.shim.new'));
    const outside = await other.look();
    expect(await fromOutside(tree, ['--tools', 'npm'])).toMatchObject({ code: 0 });
    await fromOutside(tree, ['--uninstall']);
    await symlink(join(other.root, 'app/new'), join(tree.root, 'clawrden/installed'));
    expect(await fromOutside(tree, ['--tools', 'npm'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/installed is a link, or no file: remove it first\n$/),
    });
    expect(await other.look()).toBe(outside);
  });

  test('A-217: a link or a pipe in the place of the shim is refused, whatever the record says, and nothing outside changes', async () => {
    await using tree = await Tree.make(scratch);
    await using other = await Tree.make(scratch);
    const { root } = tree;
    await mkdir(join(root, 'clawrden/bin'), { recursive: true });
    await writeFile(join(root, 'clawrden/installed'), 'file /clawrden/bin/.shim\n');
    const beside = await other.look();
    const place = join(root, 'clawrden/bin/.shim');
    for (const target of [other.root, shim, '/nowhere']) {
      await symlink(target, place);
      const before = await tree.look();
      expect(await fromOutside(tree, ['--tools', 'npm'])).toMatchObject({
        code: 1,
        stderr: 'clawrden: install: /clawrden/bin/.shim is a link, or no file: remove it first\n',
      });
      expect(await tree.look()).toBe(before);
      await rm(place);
    }
    await run(['mkfifo', place]);
    expect(await fromOutside(tree, ['--tools', 'npm'])).toMatchObject({ code: 1 });
    expect(await other.look()).toBe(beside);
  });

  test("root follows no link out of the agent's home, and no record of another user", async () => {
    await using tree = await Tree.make(busyboxOnly);
    const { root } = tree;
    await symlink('/etc/shadow', join(root, 'home/agent/.profile'));
    await writeFile(join(root, 'etc/shadow'), 'root:*:\n', { mode: 0o600 });
    const said = await tree.install(['--user', '1000', '--tools', 'npm']);
    expect(said.stdout).toContain(
      'left /home/agent/.profile as it is: it does not lead to a place in the home',
    );
    expect(await readFile(join(root, 'etc/shadow'), 'utf8')).toBe('root:*:\n');

    await writeFile(join(root, 'home/agent/.clawrden-installed'), 'file /etc/shadow\n');
    await chown(join(root, 'home/agent/.clawrden-installed'), 1000, 1000);
    expect(await tree.install(['--uninstall'])).toMatchObject({ code: 0 });
    await mkdir(join(root, 'clawrden'));
    await writeFile(join(root, 'clawrden/installed'), 'file /etc/shadow\n');
    await chown(join(root, 'clawrden/installed'), 1000, 1000);
    expect(await tree.install(['--uninstall'])).toMatchObject({
      code: 1,
      stderr: 'clawrden: install: /clawrden/installed belongs to another user; run this as that user\n',
    });
    expect(await readFile(join(root, 'etc/shadow'), 'utf8')).toBe('root:*:\n');
  });

  test('what it cannot do it refuses in one line, and undoes what it did before', async () => {
    await using tree = await Tree.make(busyboxOnly);
    const { root } = tree;
    await link(join(root, 'usr/bin/npm'), join(root, 'usr/bin/npm.original'));
    await cp('/bin/busybox', join(root, 'usr/bin/other'));
    const before = await tree.look();
    const refused = async (args: readonly string[], line: RegExp) => {
      const { code, stderr } = await tree.install(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(line);
      expect(stderr).toMatch(/^clawrden: install: [^\n]+\n$/);
      expect(await tree.look()).toBe(before);
    };
    await refused(
      ['--lock-binaries', 'docker,npm'],
      /npm and \/usr\/bin\/npm\.original are both there; remove /,
    );
    for (const name of ['sh', 'busybox', 'mv']) {
      const line = new RegExp(`cannot lock /bin/${name}: sh or this script needs it; take ${name} out of`);
      await refused(['--tools', 'git', '--lock-binaries', `docker,${name}`], line);
    }
    await refused(['--tools', 'git', '--shim', '/etc/passwd'], /passwd is no program; name the static shim/);
    for (const names of ['a/b', '..', '-x', 'a b', 'a,,b', 'a,', 'x.original', 'a;b', '$(a)', 'é'])
      await refused(['--tools', names], /--tools takes names with commas/);
    await refused(['--user', 'agent'], /write --user 1000 or --user 1000:1000/);
    await refused(['--frob'], /there is no option --frob; see --help/);
    await refused(['--tools'], /--tools needs a value/);
    await refused(['--prefix', '/nowhere'], /--prefix: there is no such folder/);
  });

  test('what was added to a startup file behind the line stays when the line goes', async () => {
    await using tree = await Tree.make(busyboxOnly);
    const profile = join(tree.root, 'etc/profile');
    const before = await readFile(profile, 'utf8');
    await tree.install(['--tools', 'npm']);
    await writeFile(profile, `${await readFile(profile, 'utf8')}export LATER=1`);
    await chmod(profile, 0o600);
    expect(await tree.install(['--uninstall'])).toMatchObject({ code: 0 });
    expect(await readFile(profile, 'utf8')).toBe(`${before}\nexport LATER=1`);
  });
});
