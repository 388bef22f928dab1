import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attempt, run } from '../lab/command.ts';
import { scratch } from './images.ts';
import { script, shim, Tree } from './tree.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 100 : 6;
const folders = ['usr/local/bin', 'usr/bin', 'bin', 'sbin', 'home/agent/bin', 'opt/tool'];
const names = ['npm', 'docker', 'npm.original', 'npm-cli'];

/** What may be at a path of PATH: a program, a link to any of the others by either way, a folder, a shim. */
const entry = fc.oneof(
  fc.constant({ kind: 'program' } as const),
  fc.constant({ kind: 'folder' } as const),
  fc.constant({ kind: 'shim' } as const),
  fc.record({
    kind: fc.constant('link' as const),
    target: fc.oneof(
      fc
        .tuple(fc.constantFrom(...folders), fc.constantFrom(...names))
        .map(([folder, name]) => `/${folder}/${name}`),
      fc.constantFrom(...names, '../bin/npm', '/clawrden/bin/.shim', '../../../../etc/passwd'),
    ),
  }),
);
/** A startup file, with or without a line break at its end. */
const text = fc.array(fc.constantFrom('a', 'é', '\n', ' ', '\\', '%s', "'")).map((parts) => parts.join(''));

const trees = fc.record({
  links: fc.subarray(['bin', 'sbin']),
  entries: fc.array(fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names), entry), {
    minLength: 4,
    maxLength: 14,
  }),
  profile: fc.option(text),
  bashrc: fc.option(text),
  shell: fc.constantFrom('dash', 'bash', 'busybox'),
});

type Made = typeof trees extends fc.Arbitrary<infer Value> ? Value : never;

test.skipIf(process.getuid?.() !== 0)(
  'any tree: installed once or twice, no locked name is a program of it, and it is the same again after --uninstall',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (made) => {
        await using tree = await Tree.make({ ...scratch, make: (root) => fill(root, made) });
        const before = await tree.look();
        const installer = (args: readonly string[]) => {
          const shell = made.shell === 'busybox' ? ['busybox', 'sh'] : [made.shell];
          return attempt([...shell, script, '--prefix', tree.root, '--shim', shim, ...args]);
        };
        const args = ['--user', '1000', '--lock-binaries', 'npm,docker', '--tools', 'npm'];
        const first = await installer(args);
        if (first.code !== 0) {
          // A program and its `.original`: a person has to say which one is wanted.
          expect(first.stderr).toMatch(/^clawrden: install: \S+ and \S+\.original are both there; [^\n]*\n$/);
          expect(await tree.look()).toBe(before);
          return;
        }
        const installed = await tree.look();
        expect(await programsOf(tree)).toEqual([]);
        expect(await installer(args)).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('nothing to do'),
        });
        expect(await tree.look()).toBe(installed);
        expect(await installer(['--uninstall'])).toMatchObject({ code: 0, stderr: '' });
        expect(await tree.look()).toBe(before);
      }),
      { numRuns },
    );
  },
);

async function fill(root: string, made: Made): Promise<void> {
  for (const folder of ['etc', 'usr/bin', 'home/agent', 'usr/local/bin', 'opt/tool'])
    await mkdir(join(root, folder), { recursive: true });
  for (const link of made.links) await symlink('usr/bin', join(root, link));
  await copyFile('/bin/busybox', join(root, 'usr/bin/bash'));
  await writeFile(join(root, 'etc/passwd'), 'agent:x:1000:1000::/home/agent:/bin/sh\n');
  if (made.profile !== null) await writeFile(join(root, 'etc/profile'), made.profile);
  if (made.bashrc !== null) await writeFile(join(root, 'home/agent/.bashrc'), made.bashrc);
  for (const [folder, name, { kind, ...rest }] of made.entries) {
    const path = join(root, folder, name);
    await mkdir(dirname(path), { recursive: true });
    // The first one counts.
    if (kind === 'folder') await mkdir(path).catch(() => {});
    // Exclusively: a link that stands there may lead to a file of this machine.
    else if (kind === 'shim') await copyFile(shim, path, constants.COPYFILE_EXCL).catch(() => {});
    else if (kind === 'program')
      await writeFile(path, '#!/bin/sh\n', { mode: 0o755, flag: 'wx' }).catch(() => {});
    else if ('target' in rest) await symlink(rest.target, path).catch(() => {});
  }
  if (!existsSync(join(root, 'app'))) await mkdir(join(root, 'app'));
  await rm(join(root, 'app/busybox'), { force: true });
}

/** The locked names that PATH finds in the tree and that are not the shim, seen from inside. */
async function programsOf(tree: Tree): Promise<string[]> {
  await copyFile('/bin/busybox', join(tree.root, 'app/busybox'));
  const places = folders.flatMap((folder) => ['npm', 'docker'].map((name) => `/${folder}/${name}`));
  const look =
    'for place; do [ -f "$place" ] && ! busybox cmp -s "$place" /clawrden/bin/.shim && echo "$place"; done';
  const env = { PATH: '/app' };
  const argv = [
    '/app/busybox',
    'sh',
    '-c',
    `${look}; :`,
    'sh',
    ...places.filter((place) => !place.startsWith('/opt')),
  ];
  const { stdout } = await tree.run(argv, { env });
  await rm(join(tree.root, 'app/busybox'));
  return stdout.split('\n').filter(Boolean);
}

test('shellcheck finds nothing in it', async (context) => {
  const has = await run(['sh', '-c', 'command -v shellcheck || :']);
  if (has === '') return context.skip('shellcheck is not installed');
  const { stdout } = await attempt(['shellcheck', '--shell=sh', '--severity=warning', script]);
  expect(stdout).toBe('');
});
