import type { Case } from '../case.ts';

const env = {
  GIT_AUTHOR_NAME: 'A U Thor',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'A U Thor',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z',
};
const repository = 'git init -q -b main; seq 5 >f; git add f; git commit -qm first';
// The index holds inode numbers and times.
const common = { env, ignoredFiles: /^\.git\/index$/ } as const;
const changed = `${repository}; seq 2 6 >f; echo new >g`;

export const gitCases: readonly Case[] = [
  { name: 'git-version', argv: ['git', '--version'] },
  { name: 'git-outside-of-a-repository', argv: ['git', 'status'] },
  { ...common, name: 'git-init', argv: ['git', 'init', '-b', 'main'] },
  { ...common, name: 'git-status', argv: ['git', 'status'], setup: changed },
  { ...common, name: 'git-status-porcelain', argv: ['git', 'status', '--porcelain', '-z'], setup: changed },
  { ...common, name: 'git-diff', argv: ['git', 'diff'], setup: changed },
  { ...common, name: 'git-diff-exit-code', argv: ['git', 'diff', '--quiet'], setup: changed },
  { ...common, name: 'git-log', argv: ['git', 'log', '--stat'], setup: repository },
  { ...common, name: 'git-commit', argv: ['git', 'commit', '-am', 'second: ümlaut'], setup: changed },
  {
    ...common,
    name: 'git-commit-from-stdin',
    argv: ['git', 'commit', '-aF', '-'],
    setup: changed,
    stdin: { bytes: 'from stdin\n\nbody\n' },
  },
  {
    ...common,
    name: 'git-commit-without-terminal',
    argv: ['git', 'commit', '-a'],
    setup: changed,
    env: { ...env, TERM: 'dumb' },
  },
  {
    ...common,
    name: 'git-show-binary',
    argv: ['git', 'cat-file', 'blob', 'HEAD:b'],
    setup: `${repository}; printf '\\000\\377' >b; git add b; git commit -qm b`,
  },
  {
    ...common,
    name: 'git-hash-object',
    argv: ['git', 'hash-object', '-w', '--stdin'],
    setup: repository,
    stdin: { bytes: 'blob' },
  },
  { ...common, name: 'git-archive', argv: ['git', 'archive', 'HEAD'], setup: repository },
  {
    ...common,
    name: 'git-clone',
    argv: ['git', 'clone', '-q', '.', 'copy'],
    setup: repository,
    ignoredFiles: /^(copy\/)?\.git\/index$/,
  },
  { ...common, name: 'git-bad-command', argv: ['git', 'no-such-command'], setup: repository },
  { ...common, name: 'git-grep', argv: ['git', 'grep', '-n', '3'], setup: repository },
  {
    ...common,
    name: 'git-hooks',
    argv: ['git', 'commit', '-qam', 'x'],
    setup: `${changed}; printf '#!/bin/sh\\necho hook says no >&2; exit 1\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
  },
  {
    ...common,
    name: 'git-alias-of-the-shell',
    argv: ['git', '-c', 'alias.x=!echo "$PWD" "$@"', 'x', 'a b'],
    setup: `${repository}; mkdir sub`,
    cwd: 'sub',
  },
];
