import fc from 'fast-check';
import { expect, test } from 'vitest';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { CommandLine } from './command-line.ts';
import { type ArgPattern, compileArgs, matchesArgs } from './match-args.ts';
import { indexRules } from './rule-index.ts';
import { Work } from './work.ts';

/** As a strict rule sees it, for an unknown tool. */
function mayMatchArgs(pattern: ArgPattern, args: readonly string[]): boolean {
  const facts = { agent: 'a', tool: 'tool', uid: 1, gid: 1, cwd: '/' };
  const index = indexRules([{ name: 'r', action: 'deny', reason: '', line: 1, args: pattern }]);
  const work = new Work(index.words);
  const placed = { words: work.wordsOf(args, ''), from: 0 };
  return new CommandLine(facts, placed, { index, work, known: knownTools }).fitsStrictly(pattern) === 'yes';
}

const words = (line: string): string[] => (line === '' ? [] : line.split(' '));
const exactly = (pattern: string, line: string): boolean =>
  matchesArgs(compileArgs(words(pattern)), words(line));
const perhaps = (pattern: string, line: string): boolean =>
  mayMatchArgs(compileArgs(words(pattern)), words(line));

test.each([
  ['install **', 'install', true],
  ['install **', 'install a b', true],
  ['install **', '-g install', false],
  ['install *', 'install', false],
  ['install *', 'install a', true],
  ['install *', 'install a b', false],
  ['** --force', 'push --force', true],
  ['** --force', 'push --force x', false],
  ['** a ** b', 'a a b a b', true],
  ['** a b', 'a c b', false],
  ['** **', '', true],
  ['', '', true],
  ['', 'a', false],
])('%j on %j: %j', (pattern, line, expected) => {
  expect(exactly(pattern, line)).toBe(expected);
});

test.each([
  ['push **', '--no-pager push', true],
  ['push **', '-C /x push', true],
  ['push **', '--no-pager -C /x push origin', true],
  ['push **', '-c a=b push', true],
  ['push', 'push -f', true],
  ['push', '-- push', true],
  ['push', 'status push', false],
  ['push', 'log -- push', false],
  ['push', '-C -- push', true],
  ['push', '--git-dir=x push', true],
  ['push', '--git-dir=x y push', false],
  ['push', '- push', false],
])('a strict rule on %j sees %j: %j', (pattern, line, expected) => {
  expect(perhaps(pattern, line)).toBe(expected);
});

/** Slow and obvious: tries every number of arguments for every `**`. */
function reference(pattern: readonly string[], args: readonly string[]): boolean {
  const [item, ...rest] = pattern;
  if (item === undefined) return args.length === 0;
  if (item === '**') {
    return Array.from({ length: args.length + 1 }, (_, n) => n).some((n) => reference(rest, args.slice(n)));
  }
  return (
    args.length > 0 && matchesArgs(compileArgs([item]), args.slice(0, 1)) && reference(rest, args.slice(1))
  );
}

const items = fc.array(fc.constantFrom('a', 'b', 'a|b', '*', '**', '-x'), { maxLength: 6 });
const given = fc.array(fc.constantFrom('a', 'b', '-x', '--y=1', '--', '-'), { maxLength: 7 });

test('agrees with the slow and obvious matcher, and a strict rule matches at least as much', () => {
  fc.assert(
    fc.property(items, given, (pattern, args) => {
      const matched = matchesArgs(compileArgs(pattern), args);
      expect(matched).toBe(reference(pattern, args));
      if (matched) expect(mayMatchArgs(compileArgs(pattern), args)).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

test('a strict rule also matches the list with the flags taken out', () => {
  fc.assert(
    fc.property(items, given, (pattern, args) => {
      const end = args.includes('--') ? args.indexOf('--') : args.length;
      const bare = args.filter((arg, index) => index > end || arg === '-' || !arg.startsWith('-'));
      if (reference(pattern, bare)) expect(mayMatchArgs(compileArgs(pattern), args)).toBe(true);
    }),
    { numRuns: 5000 },
  );
});
