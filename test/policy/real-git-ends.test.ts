import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holds, oneRule } from './one-rule.ts';
import { findTool } from './scratch.ts';

const git = findTool('git');
let root: string;
beforeAll(() => {
  if (git !== undefined) root = repository();
});
afterAll(() => {
  if (git !== undefined) rmSync(root, { recursive: true, force: true });
});

function run(dir: string, line: string) {
  const name = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  const env = {
    PATH: process.env['PATH'],
    HOME: root,
    GIT_EDITOR: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
    ...name,
  };
  return spawnSync(git ?? '', line.split(' '), { cwd: dir, env, timeout: 20_000 });
}

/** Two branches that cannot be joined. */
function repository(): string {
  root = mkdtempSync(join(tmpdir(), 'clawrden-git-ends-'));
  const dir = join(root, 'before');
  mkdirSync(dir);
  const commit = (text: string) => {
    writeFileSync(join(dir, 'file'), text);
    run(dir, 'add file');
    run(dir, `commit -q -m ${text}`);
  };
  run(dir, 'init -q -b main');
  commit('first');
  run(dir, 'checkout -q -b other');
  commit('theirs');
  run(dir, 'format-patch -q -1 -o ../patches');
  run(dir, 'checkout -q main');
  commit('ours');
  return root;
}

const beginnings = {
  merge: 'merge other',
  am: 'am -3 ../patches/0001-theirs.patch',
  rebase: 'rebase other',
  'cherry-pick': 'cherry-pick other',
  revert: 'revert HEAD~1',
};

/** In the middle of it, with a file that was edited meanwhile. */
function losesWork(begin: string, end: string): boolean {
  const dir = join(root, 'now');
  rmSync(dir, { recursive: true, force: true });
  cpSync(join(root, 'before'), dir, { recursive: true });
  run(dir, begin);
  writeFileSync(join(dir, 'file'), 'work of an hour');
  run(dir, end);
  return readFileSync(join(dir, 'file'), 'utf8') !== 'work of an hour';
}

const noReset = oneRule('git', { subcommands: new Set(['reset']) });

describe.skipIf(git === undefined)('A-131 P7: what ends in a reset of files is denied with `reset`', () => {
  const lines = Object.entries(beginnings).flatMap(([name, begin]) =>
    ['--abort', '--quit', ...(name === 'merge' ? [] : ['--skip'])].map(
      (end) => [begin, `${name} ${end}`] as const,
    ),
  );
  test.each(lines)('%s, then git %s', { timeout: 60_000 }, (begin, end) => {
    const isLost = losesWork(begin, end);
    expect([end, isLost]).toEqual([end, !end.endsWith('--quit')]);
    expect([end, holds(noReset, 'git', end.split(' '))]).toEqual([end, isLost]);
  });
});
