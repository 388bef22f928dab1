import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, Policy } from '../policy.ts';
import { decide } from '../rules/decide.ts';

function load(items: readonly string[], action: Action): Policy {
  const text = `version: 1
tools: { docker: { strategy: mirror } }
rules:
  - { name: all, tools: [docker], action: allow }
  - { name: one, tools: [docker], args: ${JSON.stringify([...items, '**'])}, action: ${action} }
complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const actionOf = (policy: Policy, args: readonly string[]) =>
  decide(policy, { agent: 'a', tool: 'docker', args, uid: 1, gid: 1, cwd: '/app' }).action;

/** For each option, values that mean one thing, as rules may say it and as a line may. */
const same: readonly (readonly [option: string, said: readonly string[], written: readonly string[]])[] = [
  [
    '--network',
    ['host', 'name=host'],
    [
      'host',
      'name=host',
      'Name=host',
      '"name=host"',
      'name=host,alias=x',
      'alias=x,NAME=host',
      ' name =host',
    ],
  ],
  [
    '--cap-add',
    ['SYS_ADMIN', 'CAP_SYS_ADMIN', 'sys_admin', 'SYS_ADMIN|ALL'],
    [
      'SYS_ADMIN',
      'sys_admin',
      'CAP_SYS_ADMIN',
      'Sys_Admin',
      'cap_sys_admin',
      '\u017Fys_admin',
      ' SYS_ADMIN',
      'ALL',
      'all',
      'cap_all',
    ],
  ],
  ['--cap-drop', ['ALL', 'all'], ['ALL', 'all', 'All', 'CAP_ALL']],
  [
    '--security-opt',
    ['seccomp=unconfined', 'seccomp:unconfined'],
    ['seccomp=unconfined', 'seccomp:unconfined'],
  ],
  ['--security-opt', ['label=disable'], ['label:disable', 'label=disable']],
  [
    '--security-opt',
    ['no-new-privileges=false', 'no-new-privileges:false'],
    ['no-new-privileges:false', 'no-new-privileges=0', 'no-new-privileges:False', 'no-new-privileges=false'],
  ],
  [
    '--gpus',
    ['all', 'count=all', 'count=-1'],
    [
      'all',
      'count=all',
      '-1',
      'count=-1',
      '"count=all"',
      'count=all,capabilities=utility',
      'capabilities=utility,count=-1',
    ],
  ],
  ['--gpus', ['2', 'count=2'], ['2', 'count=2', 'driver=nvidia,count=2']],
];

const cases = same.flatMap(([option, said, written]) =>
  said.flatMap((one) =>
    ['run', 'create', 'container run', 'container create'].map(
      (words) => [option, one, words, written] as const,
    ),
  ),
);

describe('A-159 P7: a value of docker that its client takes in several forms', () => {
  test.each(cases)(
    '%s %s is denied and asked for of %s, however it is written',
    (option, said, words, written) => {
      for (const action of ['deny', 'ask'] as const) {
        const apart = load(['run', option, said], action);
        const attached = said.includes('|') ? apart : load(['run', `${option}=${said}`], action);
        for (const value of written)
          for (const line of [
            [...words.split(' '), option, value, 'x'],
            [...words.split(' '), '--rm', `${option}=${value}`, 'x'],
          ])
            expect([line, ...[apart, attached].map((policy) => actionOf(policy, line))]).toEqual([
              line,
              action,
              action,
            ]);
      }
    },
  );

  test.each([
    ['--network host', '--network bridge'],
    ['--network host', '--network container:host'],
    ['--network host', '--network=hosts'],
    ['--cap-add SYS_ADMIN', '--cap-add NET_ADMIN'],
    ['--cap-add SYS_ADMIN', '--cap-drop ALL'],
    ['--cap-add SYS_ADMIN', '--cap-drop sys_admin'],
    ['--security-opt seccomp=unconfined', '--security-opt no-new-privileges'],
    ['--security-opt seccomp=unconfined', '--security-opt seccomp=/profile.json'],
    ['--gpus all', '--gpus 1'],
    ['--gpus all', '--gpus device=0'],
  ])('A-34 a deny of %s leaves %s alone', (said, line) => {
    expect(actionOf(load(['run', ...said.split(' ')], 'deny'), ['run', ...line.split(' '), 'x'])).toBe(
      'allow',
    );
  });

  test('what is created can be started: create and restart do the work of run', () => {
    const policy = load(['run', '--privileged'], 'deny');
    expect(actionOf(policy, ['create', '--privileged', 'x'])).toBe('deny');
    expect(actionOf(policy, ['container', 'create', '--rm', '--privileged', 'x'])).toBe('deny');
    expect(actionOf(policy, ['create', 'x'])).toBe('allow');
    expect(actionOf(load(['run'], 'deny'), ['restart', 'x'])).toBe('deny');
    expect(actionOf(load(['start'], 'deny'), ['restart', 'x'])).toBe('deny');
  });
});
