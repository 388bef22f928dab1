import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { checkPolicy, type PolicyFindings } from './check-policy.ts';

function check(text: string): PolicyFindings {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return checkPolicy(result.policy);
}

const version1 = (rules: string, tools: string, rest = ''): string =>
  `version: 1\n${rest}tools: { ${tools} }\nrules:\n${rules}\ncomplete: true\n`;

const mirror = (...names: string[]): string =>
  names.map((name) => `${name}: { strategy: mirror }`).join(', ');

test.each([
  [
    'allow bash',
    version1('  - { name: a, tools: [bash], action: allow }', mirror('bash')),
    'rule a (line 4) allows bash',
  ],
  ['allow env', version1('  - { name: a, tools: [env], action: allow }', mirror('env')), 'allows env'],
  [
    'allow env with any args',
    version1('  - { name: a, tools: [env], args: ["**"], action: allow }', mirror('env')),
    'allows env',
  ],
  ['allow gosu', version1('  - { name: a, tools: [gosu], action: allow }', mirror('gosu')), 'allows gosu'],
  ['allow everything', version1('  - { name: a, action: allow }', mirror('ls')), 'allows every tool'],
  [
    'a default of allow',
    version1('  - { name: a, tools: [ls], action: deny }', mirror('ls'), 'default: allow\n'),
    'default: allow',
  ],
  ['version 0: allow *', 'rules: [{ command: "*", action: allow }]\n', 'allows every tool'],
  ['version 0: allow b*', 'rules: [{ command: "b*sh", action: allow }]\n', 'allows bash'],
  ['version 0: a default of allow', 'default_action: allow\nrules: []\n', 'default: allow'],
])('A-35 an error: %s', (_name, text, error) => {
  expect(check(text).errors.join('\n')).toContain(error);
});

test.each([
  [
    'allow env narrowly',
    version1('  - { name: a, tools: [env], args: [printenv], action: allow }', mirror('env')),
    'allows env',
  ],
  ['allow node', version1('  - { name: a, tools: [node], action: allow }', mirror('node')), 'allows node'],
  [
    'allow and deny the same',
    version1(
      '  - { name: a, tools: [ls], action: allow }\n  - { name: b, tools: [ls], action: deny }',
      mirror('ls'),
    ),
    'rule a (line 4) never decides: b (line 5) is stricter',
  ],
  [
    'a regular expression',
    version1('  - { name: a, tools: [ls], args: ["^(a+)+$"], action: allow }', mirror('ls')),
    'looks like a regular expression',
  ],
  [
    'a tool that nothing opens',
    version1('  - { name: a, tools: [ls], action: deny }', mirror('ls')),
    'no rule ever lets it run',
  ],
  [
    'otherwise: allow',
    version1('  - { name: a, tools: [ls], action: ask }', 'ls: { strategy: mirror, otherwise: allow }'),
    'tools.ls: otherwise: allow',
  ],
  [
    'a ghost that needs root',
    version1('  - { name: a, tools: [apt-get], action: ask }', 'apt-get: { strategy: ghost, image: debian }'),
    'tools.apt-get needs root',
  ],
  [
    'a network',
    version1(
      '  - { name: a, tools: [npm], action: ask }',
      'npm: { strategy: ghost, image: node, network: r }',
      'networks: { r: { docker-network: bridge } }\n',
    ),
    'npm can reach a network',
  ],
  [
    'the bridge',
    version1(
      '  - { name: a, tools: [npm], action: ask }',
      'npm: { strategy: ghost, image: node, network: r }',
      'networks: { r: { docker-network: bridge } }\n',
    ),
    'can reach each other',
  ],
  [
    'A-104: an option in the args of a deny about an unknown tool',
    version1(
      '  - { name: a, tools: [ls], action: allow }\n  - { name: b, tools: [ls], args: ["-R", "**"], action: deny }',
      mirror('ls'),
    ),
    'rule b (line 5): args compare "-R" as it is written, because the options of ls are not known: name it by flags: ["-R"]',
  ],
  [
    'a deny whose args are the whole line',
    version1(
      '  - { name: a, tools: [kubectl], args: [delete, namespace, prod], action: deny }',
      mirror('kubectl'),
    ),
    'rule a (line 4): args are the whole line, so with one more word it passes',
  ],
  [
    'letters in a row of a tool that is not known',
    version1('  - { name: a, tools: [rm], flags: [-rf], action: deny }', mirror('rm')),
    'name the one letter that must not be given',
  ],
  [
    'a deny of npm install that says nothing of npm ci',
    version1('  - { name: a, tools: [npm], args: ["i|add", "**"], action: deny }', mirror('npm')),
    'rule a (line 4) is about npm install, and not about npm ci',
  ],
  ['version 0: allow find', 'rules: [{ command: find, action: allow }]\n', 'allows find'],
])('A-35 a warning: %s', (_name, text, warning) => {
  const { errors, warnings } = check(text);
  expect(errors).toEqual([]);
  expect(warnings.join('\n')).toContain(warning);
});

test('a careful policy has neither', () => {
  const text = version1(
    '  - { name: a, tools: [ls], action: allow }\n  - { name: b, tools: [ls], uids: [0], action: deny }\n  - { name: c, tools: [npm], subcommands: [install, ci], action: ask }\n  - { name: d, tools: [npm], args: [publish, "**"], action: deny }',
    mirror('ls', 'npm'),
  );
  expect(check(text)).toEqual({ errors: [], warnings: [] });
});

test.each([
  ['mode: shadow', 'mode: shadow denies nothing'],
  [
    'rules: [{ name: a, tools: [git], args: ["log", "**"], action: allow }]',
    'rule a (line 3) allows git with -c, --config-env, --exec-path, --paginate ...: add safe-arguments: true',
  ],
  [
    'rules: [{ name: a, tools: [git], args: ["*", log], action: allow }]',
    'the first of args may be anything, also an option of git',
  ],
  [
    'rules: [{ name: a, tools: [ssh], args: [host, "uptime|systemctl status *"], action: allow }]',
    'rule a (line 3): a shell on the other side reads what * lets through of ssh',
  ],
])('A-35 %s is told', (line, told) => {
  const text = `version: 1\ntools: { git: { strategy: mirror }, ssh: { strategy: mirror } }\n${line}\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const { errors, warnings } = checkPolicy(result.policy);
  expect([...errors, ...warnings].join('\n')).toContain(told);
});
