import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Policy } from '../policy.ts';
import { decide } from '../rules/decide.ts';

function parse(text: string): Policy {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const wrappers = 'env, timeout, nice, nohup, setsid, stdbuf, xargs, sh, bash, busybox, sudo';
const policy = parse(`version: 1
tools:
${[...wrappers.split(', '), 'ls', 'rm', 'ask-me', 'docker'].map((name) => `  ${name}: { strategy: mirror }`).join('\n')}
  npm: { strategy: ghost, image: "node:24" }
rules:
  - { name: wrap, tools: [${wrappers}], action: allow }
  - { name: fine, tools: [ls, npm], action: allow }
  - { name: asks, tools: [ask-me], action: ask }
  - { name: never, tools: [docker], action: deny, reason: not for agents }
  - { name: build, tools: [sh], args: [/app/build.sh, "**"], action: allow }
  - { name: exact, tools: [bash], args: [-c, "ls && ls"], action: allow }
complete: true
`);

const decided = (...[tool = '', ...args]: readonly string[]) =>
  decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' });

test.each([
  ['env', '-S', 'docker ps'],
  ['env', '-Sdocker ps'],
  ['env', '--split-string=docker ps'],
  ['env', '--split-str=ls'],
  ['env', 'docker', 'ps'],
  ['env', '-u', 'X', 'docker'],
  ['env', 'LD_PRELOAD=/app/x.so', 'ls'],
  ['env', 'PATH=/app', 'ls'],
  ['env', '-C', '/etc', 'ls'],
  ['env', '/usr/bin/docker', 'ps'],
  ['env', 'env', 'env', 'docker'],
  ['env', 'env', 'env', 'env', 'env', 'ls'],
  ['timeout', '5', 'docker', 'ps'],
  ['timeout', '-s', 'KILL', '5', 'docker'],
  ['timeout', '--signa', 'KILL', '5', 'ls'],
  ['nice', 'docker', 'ps'],
  ['nice', '-n', '5', 'docker'],
  ['nice', '-10', 'docker'],
  ['nohup', 'docker'],
  ['setsid', '-w', 'docker'],
  ['stdbuf', '-oL', 'docker'],
  ['xargs', 'docker'],
  ['xargs', '-n1', 'docker'],
  ['xargs', 'ls'],
  ['xargs'],
  ['busybox', 'sh', '-c', 'docker ps'],
  ['busybox', 'docker'],
  ['busybox', '--install'],
  ['sh', '-c', 'docker ps'],
  ['sh', '-ec', 'docker ps'],
  ['sh', '-c', 'ls; docker ps'],
  ['sh', '-c', '$(docker ps)'],
  ['sh', '-c', 'ls\ndocker'],
  ['sh', '-c', 'PATH=/app ls'],
  ['sh', '-c', '. /app/x'],
  ['sh', '-c', 'eval ls'],
  ['sh', '-s'],
  ['sh'],
  ['sh', '/app/other.sh'],
  ['sh', '-o', 'allexport', '/app/other.sh'],
  ['bash', '--rcfile', '/app/x', '-i'],
  ['bash', '-c', 'ls | docker'],
  ['sudo', 'ls'],
  ['sh', '+x', '-c', 'docker ps'],
  ['sh', '-', '-c'],
  ['sh', '-oc', 'errexit', 'docker ps'],
  ['timeout', 'docker', 'ls'],
  ['sh', '-c', 'npm test'],
  ['timeout', '5', 'npm', 'test'],
])('A-32 %j is refused', (...line) => {
  expect(decided(...line)).toMatchObject({ action: 'deny' });
});

test.each([
  ['env'],
  ['env', 'ls', '-la'],
  ['env', '-v', 'ls'],
  ['timeout', '5', 'ls'],
  ['timeout', '-k', '1', '5', 'nice', '-n', '3', 'ls', '--', '-S'],
  ['nice', '-10', 'ls'],
  ['sh', '-c', 'ls -la /app/x'],
  ['bash', '-euo', 'pipefail', '-c', 'ls -la'],
  ['busybox', 'sh', '-c', 'ls'],
  ['sh', '/app/build.sh', 'a', 'b'],
  ['bash', '-c', 'ls && ls'],
])('A-34 %j is allowed', (...line) => {
  expect(decided(...line)).toMatchObject({ action: 'allow' });
});

test('a rule may say that it is not looked at', () => {
  const open = parse(`version: 1
tools: { sh: { strategy: mirror } }
rules: [{ name: trial, tools: [sh], runs-anything: true, action: allow }]
complete: true
`);
  const facts = { agent: 'coder', tool: 'sh', uid: 1000, gid: 1000, cwd: '/app' };
  expect(decide(open, { ...facts, args: ['-c', 'docker; ls'] })).toMatchObject({
    action: 'allow',
    rule: 'trial',
  });
});

test('what would be asked is asked, and says where it runs', () => {
  expect(decided('timeout', '5', 'ask-me')).toMatchObject({
    action: 'ask',
    rule: 'asks',
    tool: { name: 'timeout', strategy: 'mirror' },
  });
  expect(decided('timeout', '5', 'npm', 'test')).toMatchObject({ instead: 'call npm by itself' });
  expect(decided('timeout', '5', 'docker').reason).toBe('it would run docker: not for agents');
});

test('the tighter limit of both holds, and a variable that only the wrapper may see is seen by neither', () => {
  const limited = parse(`version: 1
timeout: 5m
tools:
  env: { strategy: mirror, output: 9m, environment: [A, B] }
  sh: { strategy: mirror, idle-timeout: 2s, record: head-tail }
  ls: { strategy: mirror, timeout: 10s, output: 1m, stdin: none, environment: [B] }
rules:
  - { name: wrap, tools: [env, sh], action: allow, timeout: 4m }
  - { name: look, tools: [ls], action: allow }
complete: true
`);
  const facts = { agent: 'coder', uid: 1000, gid: 1000, cwd: '/app' };
  const tight = { outputBytes: 2 ** 20, stdin: 'none' };
  expect(decide(limited, { ...facts, tool: 'env', args: ['ls'] })).toMatchObject({
    action: 'allow',
    timeoutMs: 10_000,
    tool: { ...tight, name: 'env', environment: ['B'] },
  });
  expect(decide(limited, { ...facts, tool: 'sh', args: ['-c', 'env ls'] })).toMatchObject({
    timeoutMs: 10_000,
    tool: { ...tight, name: 'sh', environment: [], idleTimeoutMs: 2000, record: 'none' },
  });
});

test.each(['rbash', 'posh', 'lksh', 'nu', 'pwsh', 'xonsh', 'elvish', 'mksh-static', 'zsh'])(
  'A-284: what %s would run is not looked at, so a pattern does not allow it',
  (shell) => {
    const rule = (args: string) =>
      decide(
        parse(`version: 1
tools: { ${shell}: { strategy: mirror } }
rules: [{ name: all, tools: [${shell}], args: [-c, ${args}], action: allow }]
complete: true
`),
        { agent: 'coder', tool: shell, args: ['-c', 'id; curl x'], uid: 1000, gid: 1000, cwd: '/app' },
      ).action;
    expect(rule('"*"')).toBe('deny');
    expect(rule('"id; curl x"')).toBe('allow');
  },
);
