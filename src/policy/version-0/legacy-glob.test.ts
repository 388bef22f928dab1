import { expect, test } from 'vitest';
import { compileLegacyGlob, matchesLegacyGlob } from './legacy-glob.ts';

test.each([
  ['*', 'anything', true],
  ['npm', 'npm', true],
  ['npm', 'NPM', false],
  ['npm', 'npmx', false],
  ['np?', 'npx', true],
  ['np?', 'np', false],
  ['*ab', 'aab', true],
  ['a*b*c', 'axbxbxc', true],
  ['a*b*c', 'axbxbx', false],
  ['[a-c]x', 'bx', true],
  ['[^a-c]x', 'bx', false],
  ['[^a-c]x', 'dx', true],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['[\\]]', ']', true],
  ['a|b', 'a', false],
])('%s on %s: %j', (pattern, text, expected) => {
  expect(matchesLegacyGlob(compileLegacyGlob(pattern) ?? [], text)).toBe(expected);
});

test.each(['[', '[a', '[]', '[^]', 'a\\', '[z-a', '[\\'])('%s is not well formed', (pattern) => {
  expect(compileLegacyGlob(pattern)).toBeUndefined();
});

test('many stars on a long name take no time', () => {
  const glob = compileLegacyGlob(`${'*a'.repeat(100)}b`) ?? [];
  const start = process.cpuUsage();
  expect(matchesLegacyGlob(glob, 'a'.repeat(255))).toBe(false);
  expect(process.cpuUsage(start).user).toBeLessThan(50_000);
});
