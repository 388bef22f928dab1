import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesName } from './dangerous-variables.ts';
import { NameSet } from './name-set.ts';

const name = fc.string({ unit: fc.constantFrom('A', 'B', '_', 'b', 'é'), maxLength: 5 });
const pattern = fc.tuple(name, fc.constantFrom('', '*')).map((parts) => parts.join(''));

test('A-76 a set of names has just those that one of its patterns matches', () => {
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 12 }), name, (patterns, one) => {
      const isMatched = patterns.some((each) => matchesName(each, one));
      expect(new NameSet(patterns).has(one)).toBe(isMatched);
    }),
    { numRuns: 5000 },
  );
});
