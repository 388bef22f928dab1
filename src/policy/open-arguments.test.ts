import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { parsePolicy } from './parse-policy.ts';

const result = parsePolicy(
  `version: 1
tools: { npm: { strategy: mirror }, tar: { strategy: mirror }, kubectl: { strategy: mirror }, ssh: { strategy: mirror } }
rules:
  - { name: all, tools: [npm, tar, kubectl, ssh], action: allow }
  - { name: global, tools: [npm], flags: [-g, --global, --location], action: deny }
  - { name: shell, tools: [npm], flags: [--script-shell], action: deny }
  - { name: publish, tools: [npm], subcommands: [publish], action: deny }
  - { name: remove, tools: [npm], args: [uninstall, "**"], action: deny }
  - { name: tags, tools: [npm], args: [dist-tag, "**"], action: deny }
  - { name: program, tools: [tar], flags: [--use-compress-program], action: deny }
  - { name: server, tools: [kubectl], flags: [--server], action: deny }
  - { name: option, tools: [ssh], flags: [-o], action: deny }
complete: true
`,
  'p.yaml',
);

const ruleFor = (line: string) => {
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const [tool = '', ...args] = line.split(' ');
  return decide(result.policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).rule;
};

test.each([
  ['npm install -g x', 'global'],
  ['npm install --g x', 'global'],
  ['npm install --lg x', 'global'],
  ['npm install -lg x', 'global'],
  ['npm install -glob x', 'global'],
  ['npm install -L global x', 'global'],
  ['npm install -loc=global x', 'global'],
  ['npm install --no-no-global x', 'global'],
  ['npm install --no-global false x', 'global'],
  ['npm install --NO-global=false x', 'global'],
  ['npm install --json=-g x', 'global'],
  ['npm install --local=false x', 'global'],
  ['npm --NO-=true -=uninstall x', 'remove'],
  ['npm -no-=false -=uninstall x', 'remove'],
  ['npm test -script-s /app/c.sh', 'shell'],
  ['npm test ---script-shell=/app/c.sh', 'shell'],
  ['npm test --json=--script-shell=/app/c.sh', 'shell'],
  ['npm test --tag=--json=-script-sh=/app/c.sh', 'shell'],
  ['npm test -=--script-shell=/app/c.sh', 'shell'],
  ['npm --json=publish', 'publish'],
  ['npm -wd', 'global'],
  ['npm --before 2030 publish', 'publish'],
  ['npm --before 2030 rm x', 'remove'],
  ['npm --json=unlink x', 'remove'],
  ['npm distTag x', 'tags'],
  ['npm --silent dist-tags x', 'tags'],
  ['tar cVIf label /app/c.sh x f', 'program'],
  ['kubectl get pods -As https://x', 'server'],
  ['ssh -PoProxyCommand=/app/c.sh host', 'option'],
])('P7 %s is held back by the rule %s', (line, rule) => expect(ruleFor(line)).toBe(rule));

test.each([
  'npm install --long x',
  'npm install --strict-ssl x',
  'npm test --tag=x -- -g',
  'npm install publish',
  'tar cVf label x f',
  'kubectl get pods -Ao yaml',
])('%s is not', (line) => expect(ruleFor(line)).toBe('all'));

test('P21 flags in flags without end are refused, at once', () => {
  const since = performance.now();
  expect(ruleFor(`npm test ${'-a='.repeat(40_000)}`)).toBe('global');
  expect(performance.now() - since).toBeLessThan(50);
});
