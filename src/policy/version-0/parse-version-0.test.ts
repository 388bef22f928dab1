import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Decision, Policy } from '../policy.ts';
import { locateCwd } from '../request/normalize-cwd.ts';
import { decide } from '../rules/decide.ts';

const text = `
default_action: ask
default_timeout: 2m
jails:
  my-agent: { commands: [ls, kubectl], hardened: true }
rules:
  - command: rm
    action: deny
    args: ["-rf /", "--no-preserve-root"]
    reason: "Destructive filesystem operations"
  - command: ls
    action: allow
  - command: rm
    action: ask
  - command: "git-[a-c]*"
    action: allow
    timeout: 1m30s
  - command: "py?hon"
    action: deny
`;

function parse(source: string): Policy {
  const result = parsePolicy(source, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

function ask(policy: Policy, tool: string, ...args: string[]): Decision {
  return decide(policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' });
}

const policy = parse(text);

test.each([
  ['rm -rf /', 'deny', 'rule-1'],
  ['rm -rf /home', 'deny', 'rule-1'],
  ['rm x --no-preserve-root', 'deny', 'rule-1'],
  ['rm -r x', 'ask', 'rule-3'],
  ['ls -la', 'allow', 'rule-2'],
  ['git-add x', 'allow', 'rule-4'],
  ['git-diff x', 'ask', 'default'],
  ['python x', 'deny', 'rule-5'],
  ['pyython x', 'ask', 'default'],
  ['whoami', 'ask', 'default'],
])('the first rule that matches decides: %s', (line, action, rule) => {
  const [tool = '', ...args] = line.split(' ');
  expect(ask(policy, tool, ...args)).toMatchObject({ action, rule });
});

test('tools run where the agent is, also those that no rule names, unless they are defined', () => {
  expect(ask(policy, 'whoami').tool).toMatchObject({
    name: 'whoami',
    strategy: 'mirror',
    timeoutMs: 120_000,
  });
  expect(ask(policy, 'git-add')).toMatchObject({ timeoutMs: 90_000, tool: { strategy: 'mirror' } });
  expect([...policy.tools.keys()]).toEqual(['rm', 'ls', 'kubectl']);
  const defined = parse(`${text}tools: { ls: { strategy: ghost, image: busybox } }\n`);
  expect(ask(defined, 'ls').tool).toMatchObject({ strategy: 'ghost', image: 'busybox' });
});

test.each(['/bin/rm', '../ls', 'rm ', ''])('A-26 the tool %j is unknown here too', (tool) => {
  expect(ask(policy, tool)).toMatchObject({ action: 'deny', code: 'tool-unknown' });
});

test('A-280: what a tool forbids is refused whatever a rule of the first format allows', () => {
  const strict = parse(`tools: { sed: { strategy: mirror, forbid-characters: "\`;" } }
rules: [{ command: sed, action: allow }, { command: "*", action: ask }]
`);
  expect(ask(strict, 'sed', '-n', 'p')).toMatchObject({ action: 'allow', rule: 'rule-1' });
  expect(ask(strict, 'cat', 'p;p')).toMatchObject({ action: 'ask', rule: 'rule-2' });
  expect(ask(strict, 'sed', '-n', 'p;p')).toMatchObject({
    action: 'deny',
    rule: 'forbid-characters',
    code: 'denied-by-rule',
    reason: 'an argument has the character ; (U+003B), which the policy forbids for sed',
  });
});

test('the default is to deny, and to run for two minutes', () => {
  const plain = parse('rules: []\n');
  expect(plain).toMatchObject({ version: 0, defaultAction: 'deny', timeoutMs: 120_000 });
  expect(ask(plain, 'ls')).toMatchObject({ action: 'deny', code: 'denied-by-default' });
});

test('a command starts in one of the allowed paths; the workspace is /app if that is one', () => {
  expect(locateCwd(policy, '/app/x')).toEqual({ cwd: '/app/x', root: '/app' });
  expect(locateCwd(policy, '/tmp')).toEqual({ cwd: '/tmp', root: '/tmp' });
  expect(locateCwd(policy, '/etc')).toBeUndefined();
  const other = parse('allowed_paths: ["/srv/*", /app]\n');
  expect(other).toMatchObject({ workspace: '/app', roots: ['/app', '/srv'] });
});

test.each([
  ['without an end mark', 'half-written'],
  ['an open default', 'ask makes every tool'],
  ['a deny that can be written otherwise', 'rm: the same can be written without "-rf /"'],
  ['an allow with a pattern', '"git-[a-c]*" allows tools that it does not name'],
  ['a hardened jail', 'jails.my-agent.hardened'],
])('%s is warned about', (_name, warning) => {
  expect(policy.warnings.join('\n')).toContain(warning);
});

test.each([
  ['rules: [{ command: "[a", action: allow }]', 'rules[0].command: is not a well-formed pattern'],
  ['rules: [{ command: a, action: alow }]', 'rules[0].action: must be one of'],
  ['allowed_paths: ["/"]', 'allowed_paths[0]: must be a directory like /app/*'],
  ['allowed_paths: ["/home/*/work/*"]', 'allowed_paths[0]: must be a directory like /app/*'],
  [
    'tools: { bun: { strategy: mirror, arguments: { source: bun, style: gnu } } }\nrules: []',
    'tools.bun.arguments: has no effect in this format',
  ],
  ['default: deny\nrules: []', 'without "version: 1" it is read as the format of the first Clawrden'],
])('%s is refused', (source, problem) => {
  const result = parsePolicy(source, 'p.yaml');
  expect('problems' in result ? result.problems.join('\n') : '').toContain(problem);
});
