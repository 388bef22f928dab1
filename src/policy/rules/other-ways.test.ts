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
