import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareJail, setTools } from './jail.ts';

let dir: string;
let jail: string;
let files: { shim: string; init: string };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-jail-'));
  jail = join(dir, 'state/jails/coder');
  files = { shim: join(dir, 'shim'), init: join(dir, 'init') };
  await writeFile(files.shim, '#!/bin/sh\necho shim as ${0##*/}\n');
  await writeFile(files.init, '#!/bin/sh\necho init\n');
});

afterEach(() => rm(dir, { recursive: true }));

test('a tool is a relative link to the shim and runs under its own name, wherever the folder is mounted', async () => {
  await prepareJail(jail, files);
  expect(await setTools(jail, ['npm', 'git', 'npm'])).toEqual(['git', 'npm']);
  expect(await readlink(join(jail, 'npm'))).toBe('.shim');
  expect((await lstat(jail)).mode & 0o777).toBe(0o755);
  expect(execFileSync(join(jail, 'npm')).toString()).toBe('shim as npm\n');
  expect(execFileSync(join(jail, '.init')).toString()).toBe('init\n');
});

test('what no policy names goes away, and what pretends to be a tool is made one', async () => {
  await prepareJail(jail, files);
  await setTools(jail, ['npm', 'git']);
  await symlink('/bin/sh', join(jail, 'ls'));
  await writeFile(join(jail, 'cat'), 'not a link');
  await mkdir(join(jail, 'folder/inside'), { recursive: true });
  await setTools(jail, ['git', 'ls', 'cat']);
  expect((await readdir(jail)).sort()).toEqual(['.init', '.shim', 'cat', 'git', 'ls']);
  expect(await readlink(join(jail, 'ls'))).toBe('.shim');
  expect(await readlink(join(jail, 'cat'))).toBe('.shim');
});

test.each(['../evil', '/etc/passwd', '.shim', '.init', '-rf', '', 'a/b', 'a b', 'a\n', 'ｎｐｍ', '.'])(
  'the name %j is no link',
  async (name) => {
    await prepareJail(jail, files);
    expect(await setTools(jail, [name, 'ls'])).toEqual(['ls']);
    expect((await readdir(jail)).sort()).toEqual(['.init', '.shim', 'ls']);
  },
);

test('a new shim takes the place of the old in a folder that stays the same', async () => {
  await prepareJail(jail, files);
  const [before, shim, init] = await Promise.all(
    [jail, `${jail}/.shim`, `${jail}/.init`].map((path) => lstat(path)),
  );
  await writeFile(files.shim, '#!/bin/sh\necho new\n');
  await prepareJail(jail, files);
  const [after, newShim, sameInit] = await Promise.all(
    [jail, `${jail}/.shim`, `${jail}/.init`].map((path) => lstat(path)),
  );
  expect(after!.ino).toBe(before!.ino);
  expect(newShim!.ino).not.toBe(shim!.ino);
  expect(sameInit!.ino).toBe(init!.ino);
  expect(newShim!.mode & 0o777).toBe(0o755);
});

test('a shim that was made unusable is put back', async () => {
  await prepareJail(jail, files);
  await chmod(join(jail, '.shim'), 0o600);
  await prepareJail(jail, files);
  expect((await lstat(join(jail, '.shim'))).mode & 0o777).toBe(0o755);
});
