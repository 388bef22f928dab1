import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leavesOf } from '../../src/policy/arguments/tools/grammar.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { sampled } from '../fixtures/sampled.ts';
import { grammarOf, words } from './command-lines.ts';
import { GitRepository } from './git-repository.ts';
import { findTool } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const has = findTool('git') !== undefined;

let repository: GitRepository;
beforeAll(() => {
  if (has) repository = new GitRepository();
});
afterAll(() => repository?.[Symbol.dispose]());

/** They only look, or are how git does everything: its settings, its index, tidying up, parts of its own scripts. */
const everywhere = new Set([
  ...words(
    'status rev-parse rev-list diff diff-index diff-files diff-tree show log shortlog cat-file describe',
  ),
  ...words(
    'ls-files ls-tree merge-base for-each-ref show-ref symbolic-ref config check-ref-format var version',
  ),
  ...words('update-index maintenance gc hash-object'),
]);

/** It keeps the changes only until it knows whether it succeeds. */
const ownWork: ReadonlySet<string> = new Set(['merge stash', 'pull stash']);

const policies = new Map<string, Policy>();

function policyAgainst(subcommand: string): Policy {
  const rules = `  - { name: no, tools: [git], subcommands: ["${subcommand}"], action: deny }
  - { name: yes, tools: [git], action: allow }`;
  const text = `version: 1\ntools: { git: { strategy: mirror } }\nrules:\n${rules}\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

function isDenied(args: readonly string[], subcommand: string): boolean {
  const policy = policies.get(subcommand) ?? policyAgainst(subcommand);
  policies.set(subcommand, policy);
  const facts = { agent: 'coder', tool: 'git', uid: 1, gid: 1, cwd: '/app' };
  return decide(policy, { ...facts, args }).action === 'deny';
}

/** What the line does, although the sub-command for it is denied and the line is not. */
function open(args: readonly string[]): string[] {
  const own = args[0] ?? '';
  const { started, changed } = repository.try(args);
  const inner = started
    .filter((name) => name !== own && !everywhere.has(name) && !name.endsWith('-helper'))
    .filter((name) => !name.includes('--') && !ownWork.has(`${own} ${name}`));
  return [...new Set([...inner, ...changed])]
    .filter((name) => name !== own && !isDenied(args, name))
    .map((name) => `git ${args.join(' ')}: ${name}`);
}

/** They serve, ask, mail, open a window, or leave something behind that goes on. */
const notHere = new Set([
  ...words(
    'daemon fsmonitor--daemon credential-cache credential-cache--daemon instaweb web--browse shell scalar',
  ),
  ...words(
    'http-backend http-fetch http-push imap-send send-email svn p4 cvsserver cvsimport cvsexportcommit',
  ),
  ...words('archimport gui citool gitk gitweb remote-ext remote-fd help bugreport diagnose upload-archive'),
]);

/** All sub-commands that the real git lists, but those that are not here. */
function subcommands(): string[] {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', HOME: '/nonexistent' };
  const { stdout } = spawnSync(findTool('git') ?? 'git', ['--list-cmds=main'], { env, encoding: 'utf8' });
  return stdout.split('\n').filter((name) => name !== '' && !name.includes('--') && !notHere.has(name));
}

const operands = [
  ...['', 'HEAD', 'other', 'topic', 'one main', 'file', '.', '-- file', '-a', 'origin', 'origin topic'],
  ...[
    'pop',
    'apply',
    'drop',
    'branch x',
    'add ../w',
    'update',
    'update --init',
    'run false',
    'start main one',
  ],
  ...['foreach true', 'reset', 'prune', 'x', 'bundle.file --all', 'new', '-m x', 'stash@{0}'],
  ...[
    'origin topic:new',
    '. topic:new',
    '. topic:refs/tags/new',
    'elsewhere',
    'new origin/main',
    '-- elsewhere',
  ],
  ...[
    'add x ../remote',
    'rename origin x',
    'set-url origin x',
    'set-branches origin topic',
    'init',
    'set sub',
  ],
  ...[
    'add ../elsewhere',
    'register',
    'unregister',
    'disable',
    'sync',
    'deinit -f sub',
    'set-branch -b x sub',
  ],
  ...[
    'refs/heads/x HEAD',
    'refs/tags/x HEAD',
    'refs/heads/x refs/heads/main',
    '-u origin topic',
    '-u origin/main',
  ],
  ...[
    '-b new origin/main',
    '-c new origin/main',
    '-t origin/elsewhere',
    '-d topic',
    '-d one',
    '-m topic new',
  ],
];

/** Each sub-command with each of the operands, and with each of its options that needs no value. */
function linesOf(name: string): string[][] {
  const leaf = leavesOf(grammarOf('git').subcommands).find((one) => one.name === name);
  const flags = [...new Set(leaf?.options.values())].filter(({ value }) => value !== 'required');
  const forms = flags.flatMap(({ names }) => ['', 'other', 'file'].map((end) => `${names.at(-1)} ${end}`));
  return [...operands, ...forms].map((form) => [name, ...words(form.trim())]);
}

describe.skipIf(!has)(
  'A-77: what the real git starts or changes for a line is denied by a deny of it',
  () => {
    test('whatever the sub-command, its operands and its options', { timeout: 1_800_000 }, () => {
      const names = subcommands();
      const unknown = names.filter((name) => !grammarOf('git').subcommands?.has(name));
      const lines = names.filter((name) => !unknown.includes(name)).flatMap(linesOf);
      expect(sampled(lines, isLong ? 700 : 24).flatMap(open)).toEqual([]);
      expect(lines.length).toBeGreaterThan(3000);
    });

    test.each([
      ['stash push -u', ['clean', 'reset']],
      ['stash push -a', ['clean', 'reset']],
      ['stash', ['reset']],
      ['stash -- file', ['add', 'apply']],
      ['gc --prune=now', ['prune', 'repack', 'reflog']],
      ['worktree add -b topic2 ../topic-of-it', ['branch', 'reset']],
      ['bisect start main one', ['checkout']],
      ['rebase --autostash --apply other main', ['stash']],
      ['difftool --no-prompt --extcmd=true', ['diff']],
      ['fetch origin', ['upload-pack']],
      ['push origin topic', ['receive-pack', 'pack-objects']],
      ['fsck', ['commit-graph', 'multi-pack-index']],
    ])('git %s', (line, some) => {
      const args = line.split(' ');
      expect(repository.try(args).started).toEqual(expect.arrayContaining(some));
      expect(open(args)).toEqual([]);
      // A program may be git again.
      if (!args.some((word) => word === 'push' || word.startsWith('--extcmd')))
        expect(isDenied(args, 'push')).toBe(false);
    });

    test.each([
      ['remote add x ../remote', ['config']],
      ['remote rename origin x', ['config']],
      ['remote rm origin', ['config']],
      ['remote set-url origin x', ['config']],
      ['remote set-branches --add origin topic', ['config']],
      ['remote add -f --mirror=fetch x ../remote', ['config']],
      ['branch -u origin/main', ['config']],
      ['branch --set-upstream-to=origin/elsewhere other', ['config']],
      ['checkout elsewhere', ['branch']],
      ['switch elsewhere', ['branch']],
      ['worktree add ../elsewhere', ['branch']],
      ['push -u origin topic', ['config']],
      ['push . topic:x', ['branch']],
      ['push ../work topic:refs/tags/x', ['tag']],
      ['push --repo=. x :topic', []],
      ['fetch . topic:x', ['branch']],
      ['fetch origin main:refs/tags/x', ['tag']],
      ['fetch --refmap=refs/heads/*:refs/heads/my/* origin main', ['branch']],
      ['fetch --set-upstream origin main', ['config']],
      ['fetch --filter=blob:none origin', ['config']],
      ['pull . topic:x', ['branch']],
      ['pull --set-upstream origin main', ['config']],
      ['submodule set-url sub ../x', ['config']],
      ['submodule deinit -f sub', ['config']],
      ['submodule foreach git -C .. config x.y z', ['config']],
      ['bisect run false', []],
      ['sparse-checkout set sub', ['config']],
      ['sparse-checkout disable', ['config']],
      ['maintenance register', ['config']],
      ['init --shared', ['config']],
      ['update-ref refs/notes/x HEAD', ['notes']],
      ['update-ref refs/stash HEAD', ['stash']],
      ['symbolic-ref refs/heads/x refs/heads/main', ['branch']],
      ['symbolic-ref refs/heads/other refs/heads/main', ['branch']],
      ['symbolic-ref refs/notes/x refs/heads/main', ['notes']],
      ['symbolic-ref refs/tags/x refs/heads/main', ['tag']],
      ['fetch . topic:refs/notes/x', ['notes']],
      ['pull . topic:refs/notes/x', ['notes']],
      ['push . topic:refs/notes/x', ['notes']],
      ['rebase --update-refs one', []],
      ['rebase --autostash -x git\u00a0config\u00a0x.y\u00a0z HEAD~1', ['config']],
    ])('git %s, which changes %j', (line, some) => {
      const args = line.split(' ').map((word) => word.replaceAll('\u00a0', ' '));
      expect(repository.try(args).changed).toEqual(expect.arrayContaining(some));
      expect(open(args)).toEqual([]);
    });
  },
);
