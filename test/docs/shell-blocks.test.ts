import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pages } from '../house/pages.ts';
import { type Block, blocksOf, markerOf } from '../house/shell-blocks.ts';
import { attempt } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { launcher } from '../stack/launcher.ts';
import { worldScript } from './world-script.ts';
import { worlds } from './worlds.ts';

const isRoot = process.getuid?.() === 0;

/** A question of a tool that the gateway itself would carry out. */
const policy = `version: 1
default: deny
tools:
  page: { strategy: fetch }
rules:
  - { name: pages, tools: [page], action: ask }
complete: true
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-pages-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** In the order of a world's pages, and within a page from top to bottom. */
async function blocksIn(world: string): Promise<readonly Block[]> {
  const first = worlds[world]?.pages ?? [];
  const all = [...first, ...(await pages()).filter((page) => !first.includes(page))];
  return all.flatMap((page) =>
    blocksOf(page).filter((block) => {
      const marker = markerOf(block);
      return marker !== undefined && 'run' in marker && marker.run === world;
    }),
  );
}

/** The tests that docs/policy.md shows, for the policy that it names. */
function shownTests(): string {
  return blocksOf('docs/policy.md').find(({ text }) => text.startsWith('policy: policy.yaml'))?.text ?? '';
}

/** What a reader has: a home, node, `sudo`, a browser; and, but for the first steps, `clawrden` on PATH. */
async function makeHome(world: string): Promise<NodeJS.ProcessEnv> {
  const home = join(folder, world);
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  await writeProgram(join(bin, 'sudo'), 'exec "$@"');
  await writeProgram(join(bin, 'xdg-open'), 'exit 0');
  if (world !== 'first-steps') await symlink(launcher, join(bin, 'clawrden'));
  await writeFile(join(home, 'pages-policy.yaml'), policy);
  await writeFile(join(home, 'tests.yaml.shown'), `${shownTests()}\n`);
  return {
    ...{ HOME: home, CHECKOUT: checkout, LANG: 'C.UTF-8', TMPDIR: tmpdir() },
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
    PAGES_POLICY: join(home, 'pages-policy.yaml'),
    PAGES_TESTS: join(home, 'tests.yaml.shown'),
  };
}

async function writeProgram(file: string, does: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${does}\n`);
  await chmod(file, 0o755);
}

/**
 * With a network of its own, where every port is free and no other machine is reached, an own /usr/local/bin, and no
 * engine's socket.
 */
const alone = [
  ...['unshare', '--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c'],
  'ip link set lo up && for it in /usr/local/bin /run; do mount -t tmpfs tmpfs $it; done && cd "$HOME" && exec bash -s',
];

describe.skipIf(!isRoot)('the shell blocks of README and docs', () => {
  test.each(Object.keys(worlds))('do what they say: %s', { timeout: 300_000 }, async (world) => {
    const blocks = await blocksIn(world);
    expect(blocks.length).toBeGreaterThan(0);
    const env = await makeHome(world);
    const script = worldScript(worlds[world]!, blocks);
    const { stdout, stderr, code } = await attempt(alone, { input: script, env, timeout: 240_000 });
    const last = stdout.match(/^(?:BLOCK .*|DONE)$/gm)?.at(-1);
    expect({ last, code, stderr: code === 0 ? '' : stderr.slice(-2000) }).toEqual({
      ...{ last: 'DONE', code: 0 },
      stderr: '',
    });
  });
});
