import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { packageVersion } from '../../src/package-version.ts';
import { launcher } from '../stack/launcher.ts';
import { ended } from './clawrden.ts';

/** A Node on this machine that is too old to run the program. */
function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  for (const folder of folders) {
    try {
      const node = join(folder, 'node');
      const major = Number(/^v(\d+)/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[1]);
      return major < 22 ? node : undefined;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

const old = oldNode();

describe('under a Node that is too old', () => {
  beforeEach(({ skip }) => skip(old === undefined, 'no older Node is on the PATH'));

  test('the launcher finds the one that came with the package', async () => {
    expect(await ended(spawn(old!, [launcher, '--version']))).toMatchObject({
      code: 0,
      stdout: `${packageVersion()}\n`,
    });
  });

  test('exit status and signals pass through it', async () => {
    expect(await ended(spawn(old!, [launcher, 'nonsense']))).toMatchObject({ code: 2 });
    const child = spawn(old!, [launcher, 'policy', 'check', '/dev/stdin'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
  });

  test('it says in one line what is missing if there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clawrden-launcher-'));
    const copy = join(folder, 'src/cli/launcher.cjs');
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(launcher, copy);
    const { code, stdout, stderr } = await ended(spawn(old!, [copy, '--version']));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^clawrden: start: Node [\d.]+ is too old; run it with Node 22\.18 or newer\n$/);
    await rm(folder, { recursive: true });
  });
});

test('the launcher runs the program from wherever it is linked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-launcher-'));
  const link = join(folder, 'clawrden');
  await symlink(launcher, link);
  expect(await ended(spawn(link, ['--version']))).toMatchObject({ code: 0, stdout: `${packageVersion()}\n` });
  await rm(folder, { recursive: true });
});

test.each(['sh', 'bash', 'busybox sh'])('%s starts it, and says nothing of its own', async (shell) => {
  const [command = '', ...args] = shell.split(' ');
  expect(await ended(spawn(command, [...args, launcher, '--version']))).toEqual({
    ...{ code: 0, signal: null, stdout: `${packageVersion()}\n`, stderr: '' },
  });
});

/** What Node loads code by, each of which it takes from anywhere on its own command line. */
const loading = ['--experimental-default-config-file', '--experimental-config-file=node.config.json'];

/** A folder with a policy, and with code that writes `loaded` once a Node loads it. */
async function hostileFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-launcher-'));
  const loaded = join(folder, 'loaded');
  await writeFile(join(folder, 'node.config.json'), '{"nodeOptions":{"import":["./loads.mjs"]}}');
  await writeFile(
    join(folder, 'loads.mjs'),
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(loaded)}, '');`,
  );
  await writeFile(
    join(folder, 'policy.yaml'),
    'version: 1\ntools: { x: { strategy: mirror } }\nrules: []\ncomplete: true\n',
  );
  return { folder, loaded };
}

const explain = ['policy', 'explain', '--json', '--policy', 'policy.yaml', '--', 'x'];

test('A-180: no word of a command reaches the Node that runs the program, and each arrives as it is', async () => {
  const { folder, loaded } = await hostileFolder();
  const odd = ['', ' a  b ', 'two\nlines', "'", '"', '$(id)', '`id`', '*', 'ü', '-', '--', '\\'];
  const words = [...loading, '--env-file=loads.mjs', '--require=./loads.mjs', '--import=./loads.mjs', ...odd];
  const env = { ...process.env, at: '7', word: 'w' };
  const { stdout } = await ended(spawn(launcher, [...explain, ...words], { cwd: folder, env }));
  expect(JSON.parse(stdout)).toMatchObject({ argv: ['x', ...words] });
  expect(existsSync(loaded)).toBe(false);
  // What a Node that gets such a word does.
  await ended(spawn(process.execPath, ['-e', '', loading[0] ?? ''], { cwd: folder }));
  expect(existsSync(loaded)).toBe(true);
  await rm(folder, { recursive: true });
});

test('A-384: a shell whose `export` splits its words, as that of dash before 0.5.11 does, passes each word whole', async () => {
  const { folder, loaded } = await hostileFolder();
  // To a newer dash this `export` is a command like any other: the words behind it are split.
  const splits = 'plain() { command export "$@"; }; alias export=plain; . "$0"';
  for (const words of [['x NODE_OPTIONS=--import=./loads.mjs'], [' two  words ', '*', '', 'a=b c=d']]) {
    const line = ['-c', splits, launcher, ...explain, ...words];
    const { stdout } = await ended(spawn('dash', line, { cwd: folder }));
    expect(existsSync(loaded)).toBe(false);
    expect(JSON.parse(stdout)).toMatchObject({ argv: ['x', ...words] });
  }
  await rm(folder, { recursive: true });
});

test.each(['gateway', 'relay'])(
  'A-389: what stands behind `clawrden %s --config` is no option of the Node that runs it',
  async (program) => {
    const { folder, loaded } = await hostileFolder();
    for (const word of loading) {
      const { code, stderr } = await ended(spawn(launcher, [program, '--config', word], { cwd: folder }));
      expect(existsSync(loaded)).toBe(false);
      expect([code, stderr]).toEqual([1, expect.stringContaining(word)]);
    }
    await rm(folder, { recursive: true });
  },
);
