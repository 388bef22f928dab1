import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob, matchesGlob } from './glob.ts';

const matches = (pattern: string, text: string): boolean => matchesGlob(compileGlob(pattern), text);

test.each([
  ['install', 'install', true],
  ['install', 'installx', false],
  ['install', 'xinstall', false],
  ['install', 'rm\ninstall', false],
  ['install|ci|i', 'ci', true],
  ['install|ci|i', 'install|ci', false],
  ['*', '', true],
  ['*', 'a/b/.c\n', true],
  ['a*', 'a', true],
  ['*.js', '.js', true],
  ['a*a', 'a', false],
  ['a*b*a', 'aba', true],
  ['a*b*a', 'ab', false],
  ['*ab*ab*', 'abab', true],
  ['*ab*ab*', 'aab', false],
  ['a**b', 'ab', true],
  ['', '', true],
  ['', 'a', false],
  ['a|', '', true],
  ['(a+)+', 'aa', false],
  ['NPM', 'npm', false],
])('%j on %j: %j', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

/** Slow and obvious: tries every length for every star. */
function reference(pattern: string, text: string): boolean {
  return pattern.split('|').some((alternative) => oneByOne(alternative, text));
}

function oneByOne(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*')) {
    return Array.from({ length: text.length + 1 }, (_, n) => n).some((n) =>
      oneByOne(pattern.slice(1), text.slice(n)),
    );
  }
  return text[0] === pattern[0] && oneByOne(pattern.slice(1), text.slice(1));
}

test('agrees with the slow and obvious matcher', () => {
  const short = (letters: string, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...letters), maxLength });
  fc.assert(
    fc.property(short('ab*|', 8), short('ab', 8), (pattern, text) => {
      expect(matches(pattern, text)).toBe(reference(pattern, text));
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['*a*a*a*a*a*a*b', 'a'.repeat(1 << 20)],
  ['*aaaaaaaaab*', 'a'.repeat(1 << 20)],
  [`${'*a'.repeat(400)}*b`, 'a'.repeat(1 << 20)],
])('1 MiB that nearly matches %.20s… is judged in under 50 ms', (pattern, text) => {
  const glob = compileGlob(pattern);
  matchesGlob(glob, text.slice(0, 1000));
  const start = process.cpuUsage();
  expect(matchesGlob(glob, text)).toBe(false);
  expect(process.cpuUsage(start).user).toBeLessThan(50_000);
});
