import { execFile } from 'node:child_process';
import { appendFile, link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { guardedIn, guardedNames, lookAtGuarded } from './guarded.ts';
import { takeAway } from './taken-away.ts';

let root: string;
let to: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'clawrden-guarded-'));
  to = join(root, 'taken');
  await mkdir(to);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const look = () => lookAtGuarded(root, guardedNames);
const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

test('A-277: what is there is guarded with its folders, and what is not is known to be absent', async () => {
  await mkdir(join(root, '.git/hooks'), { recursive: true });
  await writeFile(join(root, '.git/config'), '');
  const { there, folders, absent } = await look();
  expect(names(there)).toEqual(['.git/hooks', '.git/config']);
  expect(names(folders)).toEqual(['.git']);
  expect(absent).toEqual(guardedNames.filter((name) => !names(there).includes(name)));
});

test('a .git that is a file, as in a worktree of git, is guarded itself', async () => {
  await writeFile(join(root, '.git'), 'gitdir: /elsewhere');
  expect(names((await look()).there)).toEqual(['.git']);
});

test('A-592: of a workspace that is a repository itself, what git runs by is guarded, and of another it is not', async () => {
  await writeFile(join(root, 'config'), '');
  expect(await guardedIn(root, [])).toEqual(guardedNames);
  await promisify(execFile)('git', ['init', '-q', '--bare', root]);
  const { there, absent } = await lookAtGuarded(root, await guardedIn(root, ['.envrc']));
  expect(names(there)).toEqual(expect.arrayContaining(['HEAD', 'hooks', 'config']));
  expect(absent).toEqual(expect.arrayContaining(['config.worktree', 'commondir', '.git/config']));
  expect([...names(there), ...absent]).not.toContain('.envrc');
  await writeFile(join(root, 'commondir'), 'elsewhere');
  expect(await takeAway({ root, absent, to, as: undefined })).toMatchObject([
    expect.stringContaining('commondir appeared'),
  ]);
});

test.each([
  [
    'a second name of it',
    async () => await link(join(root, 'other'), join(root, '.envrc')),
    /\.envrc .* 2 hard/,
  ],
  ['a link', async () => await symlink('other', join(root, '.envrc')), /\.envrc .* is no file/],
  [
    'a second name of what it holds',
    async () => {
      await mkdir(join(root, '.git/hooks/deep'), { recursive: true });
      await link(join(root, 'other'), join(root, '.git/hooks/deep/hook'));
    },
    /\.git\/hooks .* holds hook, which has 2 hard links/,
  ],
])('A-278: %s is refused by name', async (_what, make, line) => {
  await writeFile(join(root, 'other'), '');
  await make();
  await expect(look()).rejects.toThrow(line);
});

test('A-279: what appears is in an archive, and not in the workspace; what leads git elsewhere, too', async () => {
  const { absent } = await look();
  await mkdir(join(root, '.git/hooks'), { recursive: true });
  await writeFile(join(root, '.git/hooks/post-checkout'), 'echo ran');
  await writeFile(join(root, '.git/commondir'), '../evil');
  await symlink('/etc', join(root, '.vscode'));
  const lines = await takeAway({ root, absent, to, as: undefined });
  expect(lines).toHaveLength(3);
  expect(await readdir(join(root, '.git'))).toEqual([]);
  expect((await readdir(root)).sort()).toEqual(['.git', 'taken']);
  expect(await readdir(to)).toHaveLength(3);
});

test('A-279: a .git that appears as a link is taken away itself, and what it leads to stays', async () => {
  const { absent } = await look();
  const other = join(root, 'other');
  await mkdir(join(other, 'hooks'), { recursive: true });
  await symlink('other', join(root, '.git'));
  await takeAway({ root, absent, to, as: undefined });
  expect((await readdir(root)).sort()).toEqual(['other', 'taken']);
  expect(await readdir(other)).toEqual(['hooks']);
});

test('A-315: git does not take the workspace itself for a repository by what was made inside', async () => {
  const { absent } = await look();
  const runs = join(root, 'ran');
  await promisify(execFile)('git', ['init', '-q', '--bare', root]);
  await promisify(execFile)('git', [...['-C', root, 'config', 'core.bare', 'false']]);
  await appendFile(
    join(root, 'config'),
    `[core]\n\tworktree = ${root}\n\tfsmonitor = "touch ${runs}; false"\n`,
  );
  const status = () => promisify(execFile)('git', ['-C', root, 'status']);
  await status();
  expect(await readdir(root)).toContain('ran');
  await rm(runs);
  await takeAway({ root, absent, to, as: undefined });
  await expect(status()).rejects.toThrow('not a git repository');
  expect(await readdir(root)).not.toContain('ran');
});

test('A-279: what is larger than is kept has another name', async () => {
  const { absent } = await look();
  await writeFile(join(root, '.envrc'), Buffer.alloc(65 * 1024 ** 2));
  const [line] = await takeAway({ root, absent, to, as: undefined });
  expect(line).toMatch(/could not be archived whole; its name is \.envrc\.guarded-/);
  expect((await readdir(root)).filter((name) => name === '.envrc')).toEqual([]);
  expect(await readdir(to)).toEqual([]);
});
