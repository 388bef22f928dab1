import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { checkPolicy } from './check-policy.ts';

function warningsOf(rule: string): readonly string[] {
  const tools = 'git: { strategy: mirror }, npm: { strategy: mirror }, x: { strategy: mirror }';
  const result = parsePolicy(
    `version: 1\ntools: { ${tools} }\nrules:\n  - ${rule}\ncomplete: true\n`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return checkPolicy(result.policy).warnings.filter((one) => /no pattern|no sub-command/.test(one));
}

test.each([
  ['{ name: r, tools: [npm], flags: ["--global|-g"], action: deny }', '"--global|-g" is one flag'],
  ['{ name: r, tools: [npm], flags: ["--script-*"], action: ask }', '"--script-*" is one flag'],
  ['{ name: r, tools: [git], cwd: ["/app/*"], action: deny }', '"/app/*" is a directory'],
  ['{ name: r, tools: [git], args: [psh, "**"], action: deny }', '"psh" is no sub-command of git'],
  ['{ name: r, tools: [git], args: [psh, "**"], action: deny }', '(nearest valid name is "push")'],
  ['{ name: r, tools: [git], args: ["push|fecth", "**"], action: allow }', '"fecth" is no sub-command'],
  ['{ name: r, tools: [git, npm], args: [nope, "**"], action: deny }', 'of git or npm'],
])('P7: a rule that names what cannot be is told: %s', (rule, text) => {
  expect(warningsOf(rule)).toEqual([expect.stringContaining(text)]);
});

test.each([
  '{ name: r, tools: [npm], flags: [--global, -g], action: deny }',
  '{ name: r, tools: [git], cwd: [/app], action: deny }',
  '{ name: r, tools: [git], args: ["push|fetch", "**"], action: deny }',
  '{ name: r, tools: [npm], args: ["i|installTest", "**"], action: deny }',
  '{ name: r, tools: [git, npm], args: [install, "**"], action: deny }',
  '{ name: r, tools: [git], args: ["pu*", "**"], action: deny }',
  '{ name: r, tools: [git, x], args: [psh, "**"], action: deny }',
  '{ name: r, tools: [git], args: [--version], action: allow }',
  '{ name: r, tools: [git], args: ["**", push], action: deny }',
])('a rule that may hold is not: %s', (rule) => {
  expect(warningsOf(rule)).toEqual([]);
});
