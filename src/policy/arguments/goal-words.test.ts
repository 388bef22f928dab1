import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArguments } from './read-arguments.ts';
import { knownTools } from './tools/known-tools.ts';

const make = knownTools.get('make')!;

const goal = fc
  .tuple(fc.constantFrom('x', '/x', 'deploy'), fc.constantFrom('.c', '.out', '/x', 'x'), fc.nat(20_000))
  .map(([start, part, count]) => start + part.repeat(count));

test('A-210 P20 what goals may be made from is bounded, whatever their number and their length', () => {
  fc.assert(
    fc.property(fc.array(goal, { minLength: 1, maxLength: 60 }), (goals) => {
      const { otherwise, sure } = readArguments(make, goals);
      const letters = [...otherwise.values()].flat().reduce((sum, { length }) => sum + length, 0);
      expect(letters).toBeLessThan(2_000_000);
      // What is not wholly spelled is not understood: strict rules hold.
      expect(sure && otherwise.size < goals.length).toBe(false);
    }),
    { numRuns: 30 },
  );
});

test('A-34 goals as people write them are understood', () => {
  const goals = Array.from({ length: 40 }, (_, index) => `build/some/folder/of-it/part-${index}.o`);
  expect(readArguments(make, goals).sure).toBe(true);
});
