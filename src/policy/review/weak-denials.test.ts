import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { checkPolicy } from './check-policy.ts';

function warningsOf(rules: readonly string[], tool = '', head = ''): readonly string[] {
  const text = `version: 1\n${head}tools: { git: { strategy: mirror${tool} }, sort: { strategy: mirror }, x: { strategy: mirror } }\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}complete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return checkPolicy(result.policy).warnings.filter((one) => one.includes('denies a part of'));
}

const noPush = '{ name: no-push, tools: [git], subcommands: [push], action: deny }';

test.each([
  ['an allow of the tool', [noPush, '{ name: all, tools: [git], action: allow }'], 'all (line 5)'],
  ['an allow of any args', [noPush, '{ name: all, tools: [git], args: ["**"], action: allow }'], 'all'],
  [
    'an allow of a word or more',
    [noPush, '{ name: all, tools: [git], args: ["*", "**"], action: allow }'],
    'all',
  ],
  ['what is safe of it', [noPush, '{ name: all, tools: [git], safe-arguments: true, action: allow }'], 'all'],
  [
    'an allow of an unknown tool',
    ['{ name: d, tools: [x], args: [rm, "**"], action: deny }', '{ name: all, tools: [x], action: allow }'],
    'all',
  ],
  [
    'a deny by flags of every tool',
    ['{ name: d, flags: [-f], action: deny }', '{ name: all, tools: [sort], action: allow }'],
    'all',
  ],
])('P7: a deny of a part of a tool is told where all the rest is allowed: %s', (_, rules, opener) => {
  expect(warningsOf(rules)).toEqual([expect.stringContaining(`and ${opener}`)]);
});

test('P7: so it is if no rule but `otherwise` or `default` allows the rest', () => {
  expect(warningsOf([noPush], ', otherwise: allow')).toEqual([
    expect.stringContaining('and tools.git.otherwise allows all the rest'),
  ]);
  expect(warningsOf([noPush], '', 'default: allow\n')).toEqual([
    expect.stringContaining('and default: allow allows all the rest'),
  ]);
  expect(warningsOf([noPush], ', otherwise: ask', 'default: allow\n')).toEqual([]);
});

test.each([
  [
    'sub-commands are allowed by name',
    [noPush, '{ name: a, tools: [git], subcommands: [log], action: allow }'],
  ],
  ['lines of one word are allowed', [noPush, '{ name: a, tools: [git], args: ["*"], action: allow }']],
  ['lines are allowed', [noPush, '{ name: a, tools: [git], args: [log, "**"], action: allow }']],
  ['the rest is asked', [noPush, '{ name: a, tools: [git], action: ask }']],
  [
    'all of the tool is denied',
    ['{ name: d, tools: [git], action: deny }', '{ name: a, tools: [git], action: allow }'],
  ],
  [
    'other agents may',
    [
      '{ name: d, tools: [git], subcommands: [push], agents: [a], action: deny }',
      '{ name: all, tools: [git], agents: [b], action: allow }',
    ],
  ],
  [
    'every option of the tool is known',
    [
      '{ name: d, tools: [sort], flags: [-o], action: deny }',
      '{ name: a, tools: [sort], safe-arguments: true, action: allow }',
    ],
  ],
])('but not where %s', (_, rules) => {
  expect(warningsOf(rules)).toEqual([]);
});
