import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, CommandFacts, Policy } from '../policy.ts';
import { decide } from './decide.ts';

const p1Text = readFileSync(new URL('../../../test/fixtures/policy-p1.yaml', import.meta.url), 'utf8');
const p1 = parse(p1Text);

function parse(text: string): Policy & { version: 1 } {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result || result.policy.version !== 1) throw new Error(JSON.stringify(result));
  return result.policy;
}

const facts = (
  tool: string,
  args: readonly string[] = [],
  rest: Partial<CommandFacts> = {},
): CommandFacts => ({
  ...{ agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' },
  ...rest,
});

const actionOf = (policy: Policy, ...[tool = '', ...args]: string[]): Action =>
  decide(policy, facts(tool, args)).action;

test.each([
  '/bin/sh',
  './npm',
  '../bin/ls',
  'npm ',
  'npm\n',
  'NPM',
  'ｎｐｍ',
  'nрm',
  '',
  '-la',
  '.',
  '..',
  '.npm',
  'npm\0',
  'x'.repeat(5000),
  '__proto__',
  'constructor',
])('A-26 the tool %.20j is unknown', (tool) => {
  expect(decide(p1, facts(tool, ['install']))).toMatchObject({ action: 'deny', code: 'tool-unknown' });
});

describe('policy P1', () => {
  test.each([
    ['ls', '-la'],
    ['cat', '/app/x'],
    ['printenv'],
    ['git', 'status'],
    ['git', 'log', '--format=%H'],
    ['git', 'log', '--', '-c', 'alias.x=!sh'],
    ['git', 'diff', 'HEAD~1', '--', 'a'],
    ['tar', '-cf', 'x.tar', 'f'],
    ['find', '.', '-name', '*.ts'],
    ['sort', '-u', 'x'],
    ['npm', 'test'],
    ['npm', 'test', '--', 'x'],
    ['npm', 'test', '--', '-c'],
    ['npm', 'ci'],
  ])('A-31 A-34 allows %s %s %s', (...argv) => {
    expect(actionOf(p1, ...argv)).toBe('allow');
  });

  test.each([
    ['npm', 'install', 'express'],
    ['sleep', '5'],
    ['sh', '/app/x.sh'],
  ])('asks about %s %s', (...argv) => {
    expect(actionOf(p1, ...argv)).toBe('ask');
  });

  test.each([
    ['A-27', 'git', '-c', 'alias.x=!touch /app/CANARY', 'x'],
    ['A-27', 'git', '-c', 'core.fsmonitor=/app/c.sh', 'status'],
    ['A-27', 'git', '--exec-path=/app/x', 'status'],
    ['A-28', 'git', 'ls-remote', '--upload-pack=/app/c.sh', '.'],
    ['A-28', 'git', 'ls-remote', '--upload-pa=/app/c.sh', '.'],
    ['A-28', 'git', 'grep', '--open-files-in-pager=/app/c.sh', 'x'],
    ['A-28', 'git', 'grep', '-O/app/c.sh', 'x'],
    ['A-29', 'tar', 'cf', '/dev/null', '--checkpoint=1', '--checkpoint-action=exec=/app/c.sh', 'f'],
    ['A-29', 'tar', 'cf', '/dev/null', '--checkpoint=1', '--checkpoint-act=exec=/app/c.sh', 'f'],
    ['A-29', 'tar', '-I', '/app/c.sh', '-cf', 'x', 'f'],
    ['A-29', 'tar', 'xf', 'y', '--to-command=/app/c.sh'],
    ['A-29', 'tar', '-cf', '--', '-I/app/c.sh', 'f'],
    ['A-29', 'tar', 'cf', '--', '-I/app/c.sh', 'f'],
    ['A-30', 'find', '.', '-exec', '/app/c.sh', ';'],
    ['A-30', 'find', '.', '-execdir', '/app/c.sh', ';'],
    ['A-30', 'find', '.', '-ok', '/app/c.sh', ';'],
    ['A-30', 'find', '.', '-delete'],
    ['A-30', 'sort', '-S1K', '--compress-program=/app/c.sh', 's'],
    ['A-31', 'npm', '--script-shell=/app/c.sh', 'test'],
    ['A-31', 'npm', 'exec', '-c', '/app/c.sh'],
    ['A-32', 'env', '-S', 'docker ps'],
    ['A-32', 'timeout', '5', 'docker', 'ps'],
    ['A-32', 'xargs', 'docker'],
    ['A-32', 'sh', '-c', 'docker ps'],
    ['A-32', 'busybox', 'sh', '-c', 'docker ps'],
    ['A-32', 'nice', 'docker', 'ps'],
    ['', 'docker', 'ps'],
    ['', 'kubectl', 'get', 'pods'],
    ['', 'curl', 'http://x'],
    ['', 'git', 'push'],
    ['', 'npm', 'publish'],
  ])('%s refuses %s %s %s %s %s %s', (_id, ...argv) => {
    expect(actionOf(p1, ...argv)).toBe('deny');
  });

  test('A-33 a denied flag behind 10 000 arguments is found in under 50 ms', () => {
    const args = ['ls-remote', ...Array<string>(10_000).fill('x'.repeat(100)), '--upload-pack=/app/c.sh'];
    decide(p1, facts('git', args.slice(0, 10)));
    const start = process.cpuUsage();
    expect(decide(p1, facts('git', args))).toMatchObject({ action: 'deny', rule: 'git-exec' });
    expect(process.cpuUsage(start).user).toBeLessThan(50_000);
  });

  test('A-40 100 shuffles of the rules decide alike', () => {
    const commands = [
      'ls',
      'git log',
      'git -c x log',
      'npm install',
      'npm test',
      'docker ps',
      'tar -xf y',
      'sleep 1',
    ];
    const shuffled = fc.shuffledSubarray([...p1.rules], { minLength: p1.rules.length });
    fc.assert(
      fc.property(shuffled, (rules) => {
        for (const command of commands) {
          expect(actionOf({ ...p1, rules }, ...command.split(' '))).toBe(actionOf(p1, ...command.split(' ')));
        }
      }),
      { numRuns: 100 },
    );
  });
});

test('a decision carries its rule, reason, tool and time', () => {
  const policy = parse(`
version: 1
timeout: 60s
tools: { npm: { strategy: ghost, image: "node:24", timeout: 2m }, ls: { strategy: mirror, otherwise: ask } }
rules:
  - { name: slow, tools: [npm], args: [ci], action: allow, timeout: 9m }
  - { name: quick, tools: [npm], args: [ci], action: allow, timeout: 1m }
  - { name: no, tools: [npm], args: [publish], action: deny, reason: "not from here" }
complete: true
`);
  expect(decide(policy, facts('npm', ['ci']))).toMatchObject({
    action: 'allow',
    rule: 'slow',
    timeoutMs: 60_000,
    tool: { name: 'npm', timeoutMs: 120_000 },
  });
  expect(decide(policy, facts('npm', ['publish']))).toEqual({
    action: 'deny',
    rule: 'no',
    reason: 'not from here',
    code: 'denied-by-rule',
  });
  expect(decide(policy, facts('npm', ['audit']))).toMatchObject({
    action: 'deny',
    rule: 'default',
    code: 'denied-by-default',
  });
  expect(decide(policy, facts('ls'))).toMatchObject({
    action: 'ask',
    rule: 'otherwise',
    tool: { timeoutMs: 60_000 },
  });
});

test('rules may be about certain users and agents only', () => {
  const policy = parse(`
version: 1
tools: { ls: { strategy: mirror } }
rules:
  - { name: all, tools: [ls], action: allow }
  - { name: no-root, uids: [0], action: deny }
  - { name: not-b, agents: [b], action: ask }
complete: true
`);
  expect(decide(policy, facts('ls')).action).toBe('allow');
  expect(decide(policy, facts('ls', [], { uid: 0 })).rule).toBe('no-root');
  expect(decide(policy, facts('ls', [], { agent: 'b' })).rule).toBe('not-b');
});

test('a question cannot be evaded by the way its flag is written', () => {
  const policy = parse(`
version: 1
tools: { tool: { strategy: mirror } }
rules:
  - { name: use, tools: [tool], args: ["run", "**"], action: allow }
  - { name: ask, tools: [tool], flags: [--force], action: ask }
complete: true
`);
  expect(actionOf(policy, 'tool', 'run')).toBe('allow');
  expect(actionOf(policy, 'tool', 'run', '--force')).toBe('ask');
  expect(actionOf(policy, 'tool', 'run', '--forc')).toBe('ask');
  // A command that no rule allows must not become askable by that.
  expect(actionOf(policy, 'tool', 'stop', '--forc')).toBe('deny');
});
