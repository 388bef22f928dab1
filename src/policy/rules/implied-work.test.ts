import { describe, expect, test } from 'vitest';
import { leavesOf } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, PolicyResult } from '../policy.ts';
import { decide } from './decide.ts';

const parsed = new Map<string, PolicyResult>();

function actionOf(tool: string, rules: string, args: readonly string[]): Action {
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n${rules}\ncomplete: true\n`;
  const result = parsed.get(text) ?? parsePolicy(text, 'p.yaml');
  parsed.set(text, result);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
}

const rule = (name: string, tool: string, about: string, action: Action) =>
  `  - { name: ${name}, tools: [${tool}], ${about}action: ${action} }`;

/** Each sub-command that also does the work of another one, with that other one. */
const implied = knownTools
  .entries()
  .flatMap(([tool, { subcommands }]) =>
    leavesOf(subcommands).flatMap(({ name: own, spellings, does = [] }) =>
      spellings.flatMap((words) =>
        does
          .map((name) => name.replace(/ \*$/, ''))
          .map((name) => ({ tool, own, words, name, first: firstOf(name) })),
      ),
    ),
  );

function firstOf(name: string): string {
  return name.split(' ')[0] ?? '';
}

describe('A-77 P7: a sub-command that does the work of another counts as it', () => {
  test('if a rule denies or asks, whatever the other spellings are', () => {
    const open = implied.filter(({ tool, words, name, first }) =>
      (
        [
          ['deny', `subcommands: ["${first}"], `],
          ['ask', `args: [${name.replaceAll(' ', ', ')}, "**"], `],
        ] as const
      ).some(([action, about]) => {
        const rules = `${rule('all', tool, '', 'allow')}\n${rule('one', tool, about, action)}`;
        return actionOf(tool, rules, [...words, 'x']) !== action;
      }),
    );
    expect(open).toEqual([]);
    expect(implied.length).toBeGreaterThan(100);
  });

  test('and not if a rule allows', () => {
    const open = implied.filter(
      ({ tool, own, words, first }) =>
        first !== firstOf(own) &&
        first !== words[0] &&
        actionOf(tool, rule('one', tool, `subcommands: ["${first}"], `, 'allow'), words) !== 'deny',
    );
    expect(open).toEqual([]);
  });

  test.each([
    ['npm', 'install', 'test'],
    ['npm', 'test', 'install'],
    ['git', 'push', 'pull'],
    ['git', 'merge', 'fetch'],
    ['docker', 'run', 'ps'],
    ['kubectl', 'delete', 'get'],
  ])('%s: what is said of %s is not said of %s', (tool, denied, typed) => {
    const rules = `${rule('all', tool, '', 'allow')}\n${rule('one', tool, `subcommands: [${denied}], `, 'deny')}`;
    expect(actionOf(tool, rules, [typed])).toBe('allow');
  });

  test.each([
    ['subcommands: [push], ', 'docker plugin push x'],
    ['subcommands: [push], ', 'docker manifest push x'],
    ['subcommands: [push], ', 'git subtree push o m'],
    ['subcommands: [push], ', 'git send-pack o m'],
    ['subcommands: [push], ', 'git for-each-repo --config=x push'],
    ['subcommands: [fetch], ', 'git subtree pull o m'],
    ['subcommands: [commit], ', 'git pull'],
    ['flags: [-D], ', 'git branch -d -f x'],
    ['flags: [-r], ', 'grep -d recurse x .'],
    ['flags: [-r], ', 'grep --directories=recurse x .'],
  ])('a deny by %s is not evaded by %s', (about, line) => {
    const [tool = '', ...args] = line.split(' ');
    const rules = `${rule('all', tool, '', 'allow')}\n${rule('one', tool, about, 'deny')}`;
    expect(actionOf(tool, rules, args)).toBe('deny');
  });
});
