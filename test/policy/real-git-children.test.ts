import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { findTool } from './scratch.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-git-'));
  for (const line of ['init -q -b main', 'commit -q --allow-empty -m one', 'tag one']) git(line.split(' '));
  for (const text of ['first', 'second']) {
    writeFileSync(join(dir, 'file'), text);
    git(['add', 'file']);
    git(['commit', '-q', '-m', text]);
  }
  git(['branch', 'other', 'one']);
  writeFileSync(join(dir, 'file'), 'changed');
  writeFileSync(join(dir, 'new'), 'untracked');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** What git says of itself and of each git that it starts. */
function git(args: readonly string[]): string {
  const own = ['HOME', 'GIT_AUTHOR_NAME', 'GIT_COMMITTER_NAME'].map((name) => [name, dir]);
  const mails = ['GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_EMAIL'].map((name) => [name, 'a@example.invalid']);
  const env = { PATH: process.env['PATH'], GIT_TRACE: '1', GIT_EDITOR: 'true', LC_ALL: 'C' };
  const options = { cwd: dir, env: { ...env, ...Object.fromEntries([...own, ...mails]) } };
  return spawnSync(findTool('git') ?? 'git', args, { ...options, encoding: 'utf8', timeout: 20_000 }).stderr;
}

/** What it uses for all kinds of work: plumbing, reads of its settings, and tidying up that does nothing in a small repository. */
const everywhere = new Set([
  'config',
  'maintenance',
  'rev-list',
  'rev-parse',
  'pack-objects',
  'update-index',
  'gc',
]);

function childrenOf(args: readonly string[]): string[] {
  const started = [...git(args).matchAll(/trace: (?:built-in|exec): git[ -]([a-z-]+)/g)].map(
    ([, name]) => name!,
  );
  return [...new Set(started.slice(1))].filter(
    (name) => name !== args[0] && !everywhere.has(name) && !name.endsWith('-helper'),
  );
}

function decisionOf(args: readonly string[], subcommand: string): string {
  const text = `version: 1
tools: { git: { strategy: mirror } }
rules:
  - { name: no, tools: [git], subcommands: [${subcommand}], action: deny }
  - { name: yes, tools: [git], action: allow }
complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'coder', tool: 'git', args: [...args], uid: 1, gid: 1, cwd: '/app' })
    .action;
}

describe.skipIf(findTool('git') === undefined)('A-77: what the real git starts for a line', () => {
  test.each([
    ['stash push -u', ['clean', 'reset']],
    ['stash push -a', ['clean', 'reset']],
    ['stash', ['reset']],
    ['gc --prune=now', ['prune', 'repack', 'reflog']],
    ['worktree add -b topic ../topic-of-it', ['branch', 'reset']],
    ['bisect start main one', ['checkout']],
    ['rebase --autostash --apply other main', ['stash']],
    ['difftool --no-prompt --extcmd=true', ['diff']],
  ])('git %s is denied by a deny of it', (line, some) => {
    const args = line.replace('../topic-of-it', join(dir, 'topic-of-it')).split(' ');
    const children = childrenOf(args);
    expect(children).toEqual(expect.arrayContaining(some));
    expect(children.filter((child) => decisionOf(args, child) !== 'deny')).toEqual([]);
    expect(decisionOf(args, 'push')).toBe('allow');
  });
});
