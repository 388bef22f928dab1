import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSubcommand } from '../arguments/find-subcommand.ts';
import { leavesOf } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action } from '../policy.ts';
import { decide } from './decide.ts';

const actionOf = (tool: string, about: string, action: Action, args: readonly string[]) => {
  const text = `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: one, tools: [${tool}], ${about}, action: ${action} }
complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
};

const tools = knownTools.entries().flatMap(([tool, grammar]) => {
  const { subcommands } = grammar;
  return subcommands === undefined ? [] : [{ tool, grammar, names: [...subcommands.keys()] }];
});

describe('A-77: an alias evades neither args nor subcommands', () => {
  test.each(tools)('of $tool, wherever it was made', { timeout: 300_000 }, ({ tool, grammar, names }) => {
    const word = fc
      .stringMatching(/^[a-z][a-z-]{0,9}$/)
      .filter((one) => findSubcommand(grammar, one) === undefined);
    const action = fc.constantFrom('deny' as const, 'ask' as const);
    const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 200 : 25;
    const property = fc.property(fc.constantFrom(...names), word, action, (name, alias, said) => {
      for (const about of [`args: [${name}, "**"]`, `subcommands: [${name}]`])
        for (const args of [
          [alias],
          [alias, 'x', '-y'],
          ...(tool === 'git' ? [['-c', `alias.${alias}=${name}`, alias]] : []),
        ])
          expect(actionOf(tool, about, said, args)).toBe(said);
    });
    fc.assert(property, { numRuns });
  });

  test('what is no alias is allowed', () => {
    expect(actionOf('git', 'args: [push, "**"]', 'deny', ['log', '--oneline'])).toBe('allow');
    expect(actionOf('git', 'subcommands: [push]', 'deny', ['status'])).toBe('allow');
  });
});

describe('A-434: a word that groups others is each of them, by all its spellings', () => {
  const groups = tools.flatMap(({ tool, grammar }) =>
    [...(grammar.subcommands ?? [])].flatMap(([word, one]) =>
      one.subcommands === undefined ? [] : [{ tool, word, leaves: leavesOf(one.subcommands) }],
    ),
  );

  test.each(groups)('$word of $tool', ({ tool, word, leaves }) => {
    for (const said of ['deny', 'ask'] as const)
      for (const line of leaves.flatMap(({ spellings }) => spellings))
        expect([line, actionOf(tool, `subcommands: [${word}]`, said, line)]).toEqual([line, said]);
  });

  test.each([
    ['image', 'rmi -f prod:1'],
    ['image', 'pull x'],
    ['builder', 'build .'],
    ['system', 'events'],
    ['container', 'run --privileged x'],
    ['container', '--debug rm -f web'],
    // What does the work of one that the word groups: A-465.
    ['image', 'run alpine true'],
    ['image', 'create alpine'],
    ['image', 'service create alpine'],
    ['container', 'service scale web=3'],
  ])('A-465 %s is docker %s', (group, line) => {
    expect(actionOf('docker', `subcommands: [${group}]`, 'deny', line.split(' '))).toBe('deny');
  });

  test('what is not below it stays out, and an allow goes by what is written', () => {
    expect(actionOf('docker', 'subcommands: [image]', 'deny', ['ps', '-a'])).toBe('allow');
    expect(actionOf('docker', 'subcommands: [system]', 'deny', ['volume', 'ls'])).toBe('allow');
    // None of these pulls.
    expect(actionOf('docker', 'subcommands: [rmi, load, tag]', 'deny', ['run', 'x'])).toBe('allow');
    const images = ['tools: [docker], subcommands: [image], action: allow'];
    expect(actionAmong(['docker'], images, 'docker', ['image', 'ls'])).toBe('allow');
    expect(actionAmong(['docker'], images, 'docker', ['images'])).toBe('deny');
  });
});

/** With rules about no tool, or about several. */
function actionAmong(
  defined: readonly string[],
  rules: readonly string[],
  tool: string,
  args: readonly string[],
): Action {
  const text = `version: 1
tools: { ${defined.map((name) => `${name}: { strategy: mirror }`).join(', ')} }
rules:
${rules.map((rule, at) => `  - { name: r${at}, ${rule} }\n`).join('')}complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
}

describe('A-396: a word for a sub-command means of each tool its own', () => {
  test.each(tools)('of $tool, also in a rule that names no tool', ({ tool, grammar, names }) => {
    const ownOf = (word: string) => grammar.subcommands?.get(word)?.name ?? word;
    for (const name of names.filter((one, at) => at % 7 === 0 || ownOf(one) !== one))
      for (const word of [name, ownOf(name)])
        for (const said of ['deny', 'ask'] as const) {
          const rules = [`subcommands: [${name}], action: ${said}`, 'action: allow'];
          expect([name, word, actionAmong([tool], rules, tool, [word, 'x'])]).toEqual([name, word, said]);
        }
  });

  test('an allow for several tools lets through of each only what it names', () => {
    const two = (tool: string, word: string) =>
      actionAmong(['npm', 'cargo'], ['tools: [npm, cargo], subcommands: [add], action: allow'], tool, [
        word,
        'x',
      ]);
    expect([two('npm', 'add'), two('npm', 'install'), two('cargo', 'add')]).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
    expect([two('cargo', 'install'), two('npm', 'ci')]).toEqual(['deny', 'deny']);
  });
});
