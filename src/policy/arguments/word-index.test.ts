import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFlag } from './flag.ts';
import { WordIndex } from './word-index.ts';

const word = fc.constantFrom('a', '', '-', '--', '-x', '--y', '--y=1', '-x=', '---', 'a=b', '-=');
const line = fc.array(word, { maxLength: 12 });

function indexOf(words: readonly string[]): WordIndex {
  const index = new WordIndex(words);
  for (const [at, one] of words.entries()) index.add(one, at);
  return index;
}

const mayBeValue = (words: readonly string[], at: number) => {
  const before = words[at - 1];
  return before !== undefined && isFlag(before) && !before.includes('=');
};
const orEnd = (at: number, words: readonly string[]) => (at === -1 ? words.length : at);

test('P7 it says of each word what a slow and obvious look says, from every position on', () => {
  fc.assert(
    fc.property(line, fc.nat(12), fc.nat(12), fc.integer({ min: 1, max: 13 }), (words, from, end, most) => {
      const index = indexOf(words);
      const left = words.map((one, at) => isFlag(one) || one === '--' || mayBeValue(words, at));
      expect([...index.mayLeaveOut].map(Boolean)).toEqual(left);
      const first = words.findIndex((one, at) => at >= from && one === '--');
      expect(index.endOfFlags(from)).toBe(orEnd(first, words));
      const sure = words.findIndex(
        (one, at) => at >= from && one === '--' && (at === from || !mayBeValue(words, at)),
      );
      expect(index.latestEndOfFlags(from)).toBe(orEnd(sure, words));
      const flags = words.filter((one, at) => at >= from && at < end && isFlag(one)).slice(0, most);
      expect(index.flags(from, end, most).map(({ name }) => name)).toEqual(
        flags.map((one) => one.split('=')[0]),
      );
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 100_000 : 2000 },
  );
});
