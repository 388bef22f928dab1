import { expect, test } from 'vitest';
import { decidedLine } from './decided-line.fixture.ts';

const denies = (line: string, rule: string) =>
  decidedLine(
    line,
    `name: no, tools: [${line.split(' ')[0]}], ${rule}, action: deny`,
    'name: all, action: allow',
  );

// What the first line of each did was seen with the real tool.
test.each([
  ['A-252', 'subcommands: [publish]', ['npm exec', 'npm x', 'npm explore y'], ['npm ls', 'npm run x']],
  ['A-252', 'subcommands: [publish]', ['npm exec -- timeout 5 /usr/bin/npm publish'], []],
  [
    'A-564',
    'subcommands: [publish]',
    [
      ...['npm exec foo@npm:npm publish', 'npm x npm/cli publish', 'npm exec @pnpm/exe publish', 'npm x ./x'],
      ...['npm init foo@npm:npm publish', 'npm create npm/cli publish', 'npm init --x foo@npm:npm publish'],
      ...[
        'npm exec git+https://x/y',
        'npm exec -- C:\\x',
        'npm exec @NPMcli/x',

        'npm exec @x/y@npm:npm',
      ],
      ...['npm exec .', 'npm x ..', 'npm exec .x', 'npm exec x.tgz', 'npm init x.tar.gz', 'npm exec y@.'],
    ],
    [
      'npm init vite@latest app --template vue',
      'npm exec eslint x/y.js',
      'npm exec @x/y@^1.2 z:1',
      'npm exec -- x@latest',
      'npm init -y',
      'npm init @x/y',
    ],
  ],
  [
    'A-564',
    'subcommands: [publish]',
    ['pnpm create x/y', 'pnpm create y@npm:pnpm publish'],
    ['pnpm create x', 'pnpm create vite app --template react-ts'],
  ],
  [
    'A-564',
    'subcommands: [publish]',
    ['yarn create x/y', 'yarn create y@npm:yarn publish'],
    ['yarn create x', 'yarn create react-app x --template typescript'],
  ],
  ['A-252', 'subcommands: [publish]', ['pnpm exec /usr/bin/pnpm publish'], ['pnpm list']],
  [
    'A-253',
    'args: ["**", deploy, "**"]',
    ['make -fMakefile -fdeploy', 'make --file=deploy'],
    ['make -fMakefile all'],
  ],
  [
    'A-254',
    'args: [delete, secrets, "**"]',
    ['kubectl apply --prune -l a=b -f f.yaml'],
    ['kubectl apply -f f.yaml'],
  ],
  ['A-254', 'args: [delete, pod, web]', ['kubectl delete pods -l a=b', 'kubectl delete pods --all'], []],
  [
    'A-254',
    'args: [branch, -D, "**"]',
    ['git fetch -p . refs/n/*:refs/heads/*', 'git pull --prune . refs/n/*:refs/heads/*'],
    ['git fetch -p', 'git fetch origin main', 'git pull'],
  ],
  ['A-254', 'args: [tag, -d, "**"]', ['git fetch -p . refs/n/*:refs/tags/*'], ['git fetch --prune']],
  [
    'A-254',
    'args: [stash, "drop|clear", "**"]',
    ['git reflog delete --updateref stash@{0}', 'git reflog expire --expire=now stash'],
    ['git reflog show', 'git stash list'],
  ],
  ['A-254', 'args: [volume, rm, data]', ['docker volume prune -a -f'], ['docker volume ls']],
  ['A-254', 'args: [push, prod, "**"]', ['git push --repo=prod'], ['git push --repo=origin', 'git push']],
  [
    'A-503',
    'args: [branch, -f, "**"]',
    [
      ...['git symbolic-ref refs/heads/x refs/heads/main', 'git symbolic-ref ./refs/heads/x HEAD'],
      ...['git symbolic-ref logs/../refs/heads/x HEAD', 'git symbolic-ref x/../refs/heads/x HEAD'],
      ...['git symbolic-ref logs/../refs/heads/x refs/heads/y', 'git update-ref --stdin'],
      'git rebase --update-refs main',
    ],
    ['git symbolic-ref --short HEAD', 'git symbolic-ref HEAD', 'git fetch origin', 'git rebase main'],
  ],
  [
    'A-503',
    'args: [branch, -f, main, "**"]',
    ['git update-ref --stdin', 'git send-pack --stdin .', 'git remote add --mirror=fetch x .'],
    ['git update-ref refs/heads/x HEAD', 'git remote add x .'],
  ],
  [
    'A-503',
    'args: [branch, -D, "**"]',
    ['git symbolic-ref -d refs/heads/x', 'git symbolic-ref --delete refs/heads/x'],
    ['git symbolic-ref --short HEAD', 'git symbolic-ref refs/heads/x refs/heads/main'],
  ],
  [
    'A-503',
    'args: [tag, -f, "**"]',
    ['git symbolic-ref refs/tags/x refs/heads/main'],
    ['git symbolic-ref x'],
  ],
  [
    'A-503',
    'flags: [--force]',
    [
      ...['git symbolic-ref refs/heads/x refs/heads/y', 'git update-ref refs/heads/x y', 'git fetch . +a:b'],
      ...['git branch -M a b', 'git checkout -B x', 'git switch -C x', 'git worktree add -B x ../x'],
    ],
    ['git symbolic-ref HEAD', 'git branch x', 'git checkout -b x', 'git switch -c x', 'git fetch . a:b'],
  ],
  [
    'A-503',
    'subcommands: [update-ref]',
    [
      ...[
        'git symbolic-ref refs/heads/x refs/heads/y',
        'git fetch . a:b',
        'git pull . a:b',
        'git push . a:b',
      ],
      ...[
        'git fetch --refmap=a:b origin',
        'git fetch --stdin .',
        'git send-pack . a:b',
        'git receive-pack .',
      ],
      ...['git fast-import', 'git remote add --mirror=fetch x .'],
    ],
    [
      ...['git branch -f x y', 'git switch -C x', 'git checkout -B x', 'git tag -f x', 'git fetch origin'],
      ...['git push origin a:b', 'git remote add x .', 'git reflog', 'git rebase main'],
    ],
  ],
  [
    'A-503',
    'subcommands: [notes, replace, stash]',
    ['git fetch . a:refs/notes/x', 'git push . a:refs/stash', 'git symbolic-ref refs/notes/x refs/notes/y'],
    ['git fetch origin', 'git branch -f x y', 'git push origin a:b'],
  ],
  [
    'A-503',
    'subcommands: [checkout, switch]',
    ['git update-ref --no-deref HEAD x', 'git update-ref --stdin', 'git symbolic-ref HEAD refs/heads/x'],
    ['git update-ref HEAD x'],
  ],
] as const)('%s: a deny by %s is not evaded by %j, and lets %j pass', (_case, rule, evading, passing) => {
  for (const line of evading) expect([line, denies(line, rule)]).toEqual([line, 'deny']);
  for (const line of passing) expect([line, denies(line, rule)]).toEqual([line, 'allow']);
});

test('A-251: node takes --env-file from anywhere on the line of a program that it runs', () => {
  const safe = 'name: some, tools: [npm], subcommands: [ls, test], action: allow';
  for (const line of ['npm ls --env-file=e', 'npm test -- --env-file=e', 'npm ls --env-file-if-exists=e'])
    expect([line, decidedLine(line, safe)]).toEqual([line, 'deny']);
  const args = 'name: check, tools: [eslint], args: [--check, "*"], action: allow';
  expect(decidedLine('eslint --check --env-file=e', args)).toBe('deny');
  expect(decidedLine('eslint --check a.ts', args)).toBe('allow');
  // What node does not run has an option of that name.
  const run = 'name: run, tools: [docker], args: [run, "**"], action: allow';
  expect(decidedLine('docker run --env-file=e x', run)).toBe('allow');
});
