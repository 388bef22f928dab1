import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { CommandFacts, Policy } from '../policy.ts';
import { decide } from './decide.ts';
import { denialText } from './denial-text.ts';

const text = (rules: string, more = '') => `version: 1
${more}
networks: { net: { docker-network: real-net } }
tools:
  npm: { strategy: ghost, image: "node:24", memory: 1g }
  git: { strategy: ghost, image: git }
  ls: { strategy: mirror, forbid-characters: ";\`" }
rules:
${rules}
complete: true
`;

function parse(rules: string, more?: string): Policy {
  const result = parsePolicy(text(rules, more), 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const problems = (rules: string) => {
  const result = parsePolicy(text(rules), 'p.yaml');
  return 'problems' in result ? result.problems.join('\n') : '';
};

const decided = (policy: Policy, line: string, rest: Partial<CommandFacts> = {}) => {
  const [tool = '', ...args] = line.split(' ');
  return decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app', ...rest });
};

describe('who and where', () => {
  const policy = parse(`
  - { name: team, tools: [ls], labels: { team: web, tier: a }, action: allow }
  - { name: place, tools: [npm], cwd: [/app/a], action: allow }`);

  test('every label must agree', () => {
    expect(decided(policy, 'ls', { labels: { team: 'web', tier: 'a', x: 'y' } }).action).toBe('allow');
    expect(decided(policy, 'ls', { labels: { team: 'web' } }).action).toBe('deny');
    expect(decided(policy, 'ls').action).toBe('deny');
  });

  test('a directory and what is below it', () => {
    const at = (cwd: string) => decided(policy, 'npm test', { cwd }).action;
    expect(['/app/a', '/app/a/b', '/app', '/app/ab'].map(at)).toEqual(['allow', 'allow', 'deny', 'deny']);
  });
});

describe('sub-commands', () => {
  const policy = parse(`
  - { name: look, tools: [git], subcommands: [log, status], safe-arguments: true, action: allow }
  - { name: add, tools: [npm], subcommands: [i], action: ask }
  - { name: ls, tools: [npm], action: allow }
  - { name: gone, tools: [npm], args: [uninstall, "**"], action: deny }`);

  test.each([
    ['git log', 'allow'],
    ['git -C /app/x log -3', 'allow'],
    ['git --no-pager log', 'allow'],
    ['git push', 'deny'],
    ['git -c x=y log', 'deny'],
    ['git --unknown log', 'deny'],
    ['npm install x', 'ask'],
    ['npm isntall x', 'ask'],
    ['npm add x', 'ask'],
    ['npm insta x', 'ask'],
    ['npm --unknown i x', 'deny'],
    ['npm rm x', 'deny'],
    ['npm --silent un x', 'deny'],
    ['npm test install', 'allow'],
  ])('%s: %s', (line, action) => {
    expect(decided(policy, line).action).toBe(action);
  });

  test('what cannot be known is refused when the policy loads', () => {
    expect(problems('  - { name: a, tools: [ls], subcommands: [x], action: allow }')).toContain(
      'p.yaml:9: rules[0].subcommands: the arguments of ls are not known',
    );
    expect(problems('  - { name: a, tools: [git], subcommands: [lgo], action: allow }')).toContain(
      'git has no "lgo" (nearest valid name is "log")',
    );
    expect(problems('  - { name: a, safe-arguments: true, action: allow }')).toContain('ls are not known');
    expect(problems('  - { name: a, tools: [git], safe-arguments: true, action: deny }')).toContain(
      'has no effect with action deny',
    );
  });
});

describe('flags are read as the tool reads them', () => {
  const policy = parse(`
  - { name: all, tools: [git, npm], action: allow }
  - { name: no-output, tools: [git], flags: [--output, -O], action: deny }
  - { name: no-global, tools: [npm], flags: [--global], action: deny }`);

  test.each([
    ['git log --output=x', 'deny'],
    ['git log --outp=x', 'deny'],
    ['git grep -nOx', 'deny'],
    ['git log -SO', 'allow'],
    ['git log -n 5 -- -O', 'allow'],
    ['npm ls -g', 'deny'],
    ['npm ls -ag', 'deny'],
    ['npm -global ls', 'deny'],
    ['npm ls --glo', 'deny'],
    ['npm ls --tag -g', 'deny'],
    ['npm ls --tag g', 'allow'],
  ])('%s: %s', (line, action) => {
    expect(decided(policy, line).action).toBe(action);
  });
});

describe('how it runs', () => {
  test('a rule says more than the tool, and the tighter of two rules holds', () => {
    const policy = parse(`
  - { name: a, tools: [npm], action: allow, memory: 4g, network: net, environment: [CI], rate: 10/m, output: 1m, record: head-tail, cpus: 3, pids: 40, file-size: 1m, idle-timeout: 9s }
  - { name: b, tools: [npm], action: allow, memory: 2g, timeout: 1m, environment: [NODE_ENV], stdin: none, cpus: 0.5, pids: 50, file-size: 2m, idle-timeout: 3s }`);
    expect(decided(policy, 'npm test')).toMatchObject({
      tool: {
        memoryBytes: 2 * 1024 ** 3,
        network: 'real-net',
        outputBytes: 1024 ** 2,
        cpus: 0.5,
        pids: 40,
        fileBytes: 1024 ** 2,
        idleTimeoutMs: 3000,
        stdin: 'none',
        record: 'head-tail',
      },
      timeoutMs: 60_000,
      rates: [{ rule: 'a', most: 10, perMs: 60_000 }],
    });
    expect(decided(policy, 'npm test').tool?.environment).toEqual(['CI', 'NODE_ENV']);
  });

  test('two rules that name different places are refused, whatever their order', () => {
    const rules = [
      '{ name: a, tools: [npm], action: allow, image: x }',
      '{ name: b, action: allow, tools: [npm], image: y }',
    ];
    for (const order of [rules, rules.toReversed()]) {
      const policy = parse(order.map((rule) => `  - ${rule}`).join('\n'));
      expect(decided(policy, 'npm test')).toMatchObject({ action: 'deny', rule: 'conflict' });
    }
  });

  test('what would not hold is refused when the policy loads', () => {
    expect(problems('  - { name: a, tools: [ls], memory: 1g, action: allow }')).toContain(
      'rules[0].memory: has no effect on ls, which runs by mirror',
    );
    expect(problems('  - { name: a, tools: [ls], strategy: ghost, action: allow }')).toContain(
      'ls has no image',
    );
    expect(problems('  - { name: a, tools: [npm], network: nte, action: allow }')).toContain(
      'nearest valid network',
    );
    expect(problems('  - { name: a, tools: [npm], rate: 0/m, action: allow }')).toContain('a rate like 10/m');
    expect(problems('  - { name: a, tools: [npm], instead: x, action: allow }')).toContain(
      'only with action deny',
    );
  });
});

test('forbidden characters are refused whatever a rule allows', () => {
  const policy = parse('  - { name: a, action: allow, tools: [ls] }');
  expect(decided(policy, 'ls a;b')).toMatchObject({ action: 'deny', rule: 'forbid-characters' });
  expect(decided(policy, 'ls ab').action).toBe('allow');
});

test('shadow mode lets it run and says what would have been', () => {
  const policy = parse('  - { name: no, tools: [ls], action: deny, reason: never }', 'mode: shadow');
  expect(decided(policy, 'ls')).toMatchObject({
    action: 'allow',
    rule: 'no',
    reason: 'shadow mode: would be denied: never',
  });
  expect(decided(policy, 'cat')).toMatchObject({ action: 'deny', code: 'tool-unknown' });
});

test('a denial says the rule, the reason and what to do instead', () => {
  const policy = parse(
    '  - { name: no, tools: [ls], action: deny, reason: never, instead: use git ls-files }',
  );
  expect(denialText(decided(policy, 'ls'))).toBe('never (rule no); use git ls-files');
  expect(denialText(decided(policy, 'git x'))).toMatch(/^no rule .*; ask who keeps the policy/);
});
