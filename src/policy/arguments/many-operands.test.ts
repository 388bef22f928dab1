import { expect, test } from 'vitest';
import { mostOperands } from './late-words.ts';
import { readArguments } from './read-arguments.ts';
import { knownTools } from './tools/known-tools.ts';

const many = (count: number) => Array<string>(count).fill('a');

// What each of these does depends on every operand.
test.each([
  ['npm', 'exec', false],
  ['pnpm', 'exec', false],
  ['yarn', 'exec', false],
  ['gh', 'extension', false],
  ['git', 'bisect', false],
  ['git', 'push', false],
  ['git', 'fetch', false],
  ['git', 'send-pack', false],
  ['kubectl', 'cp', true],
  ['pnpm', 'run', true],
])('A-438 P20: of %s %s no more operands than a person writes are looked at', (tool, words, isSure) => {
  const read = (count: number) => readArguments(knownTools.get(tool)!, [...words.split(' '), ...many(count)]);
  expect(read(mostOperands)).toMatchObject({ sureOfSubcommand: true, sure: true });
  expect(read(mostOperands + 1)).toMatchObject({ sureOfSubcommand: isSure, sure: false, doubt: 'a' });
});

test('A-438 P20: nor of goals of make', () => {
  expect(readArguments(knownTools.get('make')!, many(mostOperands + 1))).toMatchObject({ sure: false });
});

test('A-34 A-438: of what does the same whatever its operands are, all count', () => {
  for (const line of [
    'git add',
    'git log --',
    'docker rm',
    'npm install',
    'grep x',
    'python x.py',
    'git rm',
  ]) {
    const [tool = '', ...words] = line.split(' ');
    expect([line, readArguments(knownTools.get(tool)!, [...words, ...many(30_000)]).sure]).toEqual([
      line,
      true,
    ]);
  }
});
