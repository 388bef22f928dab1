import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';

const result = parsePolicy(
  `version: 1
tools: { npm: { strategy: mirror }, tar: { strategy: mirror }, kubectl: { strategy: mirror }, ssh: { strategy: mirror }, git: { strategy: mirror } }
rules:
  - { name: all, tools: [npm, tar, kubectl, ssh, git], action: allow }
  - { name: global, tools: [npm], flags: [-g, --global, --location], action: deny }
  - { name: publish, tools: [npm], subcommands: [publish], action: deny }
  - { name: remove, tools: [npm], args: [uninstall, "**"], action: deny }
  - { name: program, tools: [tar], flags: [--use-compress-program], action: deny }
  - { name: server, tools: [kubectl], flags: [--server], action: deny }
  - { name: option, tools: [ssh], flags: [-o], action: deny }
  - { name: push, tools: [git], subcommands: [push], action: deny, reason: pushing is for people }
  - { name: force, tools: [git], subcommands: [branch], flags: [--force], action: deny }
  - { name: rebase, tools: [git], args: [rebase, "**"], action: ask }
complete: true
`,
  'p.yaml',
);

const decided = (line: string) => {
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const [tool = '', ...args] = line.split(' ');
  return decide(result.policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' });
};

test.each([
  ['npm install -g x', 'global'],
  ['npm install -L global x', 'global'],
  ['npm uninstall x', 'remove'],
  ['npm --silent unlink x', 'remove'],
  ['npm publish', 'publish'],
  ['tar cVIf label /app/c.sh x f', 'program'],
  ['git rebase main', 'rebase'],
  ['git branch -D x', 'force'],
  ['npm install -L global x', 'global'],
  ['npm install --lg x', 'global'],
  ['kubectl get pods -As https://x', 'server'],
])('P7 %s is held back by the rule %s, for sure', (line, rule) => {
  expect(decided(line)).toMatchObject({ rule, reason: expect.not.stringContaining('not understood') });
});

test.each([
  ['npm install -glob x', 'global', '-glob'],
  ['npm install -loc=global x', 'global', '-loc=global'],
  ['npm install --no-no-global x', 'global', '--no-no-global'],
  ['npm install --NO-global=false x', 'global', '--NO-global=false'],
  ['npm install --json=-g x', 'global', '--json=-g'],
  ['npm --NO-=true -=uninstall x', 'global', '--NO-=true'],
  ['npm test -=--script-shell=/app/c.sh', 'global', '-=--script-shell=/app/c.sh'],
  ['npm --json=publish', 'global', '--json=publish'],
  ['npm --no-such 2030 publish', 'global', '--no-such'],
  ['npm strange', 'global', 'strange'],
  ['kubectl strange', 'server', 'strange'],
  ['ssh -PoProxyCommand=/app/c.sh host', 'option', '-PoProxyCommand=/app/c.sh'],
  ['git an-alias', 'push', 'an-alias'],
  ['git --strange log', 'push', '--strange'],
  ['git push --strange', 'push', undefined],
])('A-74 P7 %s is held back by the rule %s, because nobody understands %s', (line, rule, word) => {
  const why = `it is not understood what ${line.split(' ')[0]} makes of ${word}`;
  if (word !== undefined) expect(decided(line)).toMatchObject({ rule, reason: expect.stringContaining(why) });
  else expect(decided(line).rule).toBe(rule);
});

test.each([
  'npm install --long x',
  'npm test --tag=x -- -g',
  'npm install publish',
  'tar cVf label x f',
  'kubectl get pods -Ao yaml',
  'git log --strange',
])('A-34 %s is not: the rules are surely about something else', (line) => {
  expect(decided(line).rule).toBe('all');
});

test('P7 P11 the word that is not understood is told short, and on one line', () => {
  const { reason } = decided(`npm --${'\u202e\n'.repeat(500)}`);
  expect(reason).toMatch(/^[\x20-\x7e]{1,600}$/);
});
