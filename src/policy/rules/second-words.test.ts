import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, Policy } from '../policy.ts';
import { decide } from './decide.ts';

const parsed = new Map<string, Policy>();

function load(text: string): Policy {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

function actionOf(tool: string, about: readonly string[], action: Action, args: readonly string[]): Action {
  const words = [...about.map((word) => `"${word}"`), '"**"'].join(', ');
  const rules = `  - { name: all, tools: [${tool}], action: allow }\n  - { name: one, tools: [${tool}], args: [${words}], action: ${action} }`;
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n${rules}\ncomplete: true\n`;
  const policy = parsed.get(text) ?? load(text);
  parsed.set(text, policy);
  return decide(policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
}

const all = [...knownTools.entries()].flatMap(([tool, { subcommands }]) =>
  [...new Set(subcommands?.values())].flatMap((one) =>
    [...new Set(one.words?.values())].map((same) => ({ tool, one, same })),
  ),
);
const classes = all.filter(({ same }) => same.length > 1);

/** From the installed npm's own source: names that lead to the same work. */
function npmNames(): readonly (readonly [string, readonly string[]])[] {
  const npm = (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, 'npm'))
    .find(existsSync);
  if (npm === undefined) return [];
  const folder = join(realpathSync(npm), '../../lib/commands');
  return ['cache', 'config', 'org', 'profile', 'token', 'access', 'install-scripts'].flatMap((name) => {
    const file = join(folder, `${name}.js`);
    if (!existsSync(file)) return [];
    const text = readFileSync(file, 'utf8').split(/\basync exec /)[1] ?? '';
    const runs = text.split(/\n {2}\}\n/)[0]?.match(/(case '[^']+':\s*)+/g) ?? [];
    return runs.map((run) => [name, [...run.matchAll(/'([^']+)'/g)].map(([, word = '']) => word)] as const);
  });
}

describe('A-77 P7: the other names of a second word', () => {
  test('evade neither a deny nor an ask, for each name in the data of each tool', () => {
    const open = classes.flatMap(({ tool, one, same }) =>
      same.flatMap((named, place) =>
        same.flatMap((written, at) =>
          [[written], [written.toUpperCase(), 'x'], ['--', written]]
            .slice(0, tool === 'git' ? 2 : 3)
            .map((rest) => [...(one.spellings[at % one.spellings.length] ?? []), ...rest])
            .filter((args) => {
              const action = place % 2 === 0 ? 'deny' : 'ask';
              return actionOf(tool, [one.name, named], action, args) !== action;
            })
            .map((args) => `${named}: ${tool} ${args.join(' ')}`),
        ),
      ),
    );
    expect(open).toEqual([]);
    expect(classes.length).toBeGreaterThan(25);
  });

  test('leave the rules about other words alone', () => {
    const held = classes.flatMap(({ tool, one, same }) => {
      // `git bisect view` runs anything.
      if (one.otherLines?.some((start) => same.includes(start)) === true) return [];
      const [other] = all.filter((each) => each.one === one && each.same !== same);
      const { same: [named = ''] = [] } = other ?? {};
      const isOpen = actionOf(tool, [one.name, named], 'deny', [one.name, same[0] ?? '']) === 'allow';
      return isOpen ? [] : `${named}: ${tool} ${one.name} ${same[0]}`;
    });
    expect(held).toEqual([]);
  });

  test('are in the data of npm as npm itself has them', () => {
    const missing = npmNames().flatMap(([name, [first = '', ...others]]) =>
      others
        .filter(
          (word) => knownTools.get('npm')?.subcommands?.get(name)?.words?.get(first)?.includes(word) !== true,
        )
        .map((word) => `${name} ${first}: ${word}`),
    );
    expect(missing).toEqual([]);
  });

  test.each([
    ['config set', 'npm set a=b'],
    ['config get', 'npm get a'],
    ['config list', 'npm get'],
    ['cache clean', 'npm cache --force rm'],
    ['c delete', 'npm config del x'],
    ['stash push', 'git stash'],
    ['stash push', 'git stash -u'],
    ['stash push', 'git stash -- x'],
    ['stash save', 'git stash'],
    ['stash push', 'git pull --autostash'],
    ['config set', 'git config a.b c'],
    ['config unset', 'git config --global --unset a.b'],
    ['config list', 'git config -l'],
    ['remote remove', 'git -C /x remote -v rm x'],
    ['submodule update', 'git clone --recursive x'],
    ['reflog show', 'git reflog'],
  ])('%s is also %s', (named, line) => {
    const [tool = '', ...args] = line.split(' ');
    expect(actionOf(tool, named.split(' '), 'deny', args)).toBe('deny');
  });

  test.each([
    ['stash push', 'git stash pop'],
    ['stash push', 'git stash list'],
    ['config set', 'git config -l'],
    ['config set', 'npm config get a'],
    ['remote remove', 'git remote -v'],
    ['submodule update', 'git clone x'],
  ])('%s is not %s', (named, line) => {
    const [tool = '', ...args] = line.split(' ');
    expect(actionOf(tool, named.split(' '), 'deny', args)).toBe('allow');
  });
});
