import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitWords } from './split-words.ts';

test.each([
  ['git push  origin', ['git', 'push', 'origin']],
  [`git commit -m 'two words' ""`, ['git', 'commit', '-m', 'two words', '']],
  [String.raw`a\ b "c\"d" 'e\f'`, ['a b', 'c"d', String.raw`e\f`]],
  [String.raw`grep "a\.b" "\$x\"\\\`"`, ['grep', String.raw`a\.b`, '$x"\\`']],
])('%s', (line, words) => {
  expect(splitWords(line)).toEqual({ words });
});

test.each(['', '  ', `a 'b`, 'a\\'])('%j is no command, and it says why', (line) => {
  expect(splitWords(line)).toEqual({ problem: expect.stringMatching(/\.$/) });
});

test('words in quotes come out as they were', () => {
  const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { minLength: 1, maxLength: 5 }),
      (words) => {
        expect(splitWords(words.map(quoted).join(' '))).toEqual({ words });
      },
    ),
  );
});
