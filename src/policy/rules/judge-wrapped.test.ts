import { expect, test } from 'vitest';
import { decidedLine } from './decided-line.fixture.ts';

test.each([
  ['["-x", "**"]', 'bash -x evil.sh', 'deny'],
  ['["*", "**"]', 'bash evil.sh', 'deny'],
  ['["**", "*|**"]', 'bash evil.sh', 'deny'],
  ['["-x", "build.sh", "**"]', 'bash -x build.sh a', 'allow'],
  ['["scripts/*", "**"]', 'bash scripts/a.sh', 'allow'],
  ['["*.sh"]', 'bash build.sh', 'allow'],
])('A-397: a script runs if an item of args says something of its name: %s, %s', (args, line, action) => {
  expect(decidedLine(line, `name: some, args: ${args}, action: allow`)).toBe(action);
});

test('A-398: where pnpm takes no value for an option before its command, its line is not understood', () => {
  const rules = ['name: no, subcommands: [run], action: deny', 'name: all, action: allow'];
  expect(decidedLine('pnpm --config-dir evil list', ...rules)).toBe('deny');
  expect(decidedLine('pnpm --dir sub list', ...rules)).toBe('allow');
});
