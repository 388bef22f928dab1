import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob, matchesGlob } from './glob.ts';
import { insideOf } from './inside-pattern.ts';
import { WantedWords } from './wanted-words.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 40_000 : 3000;
const text = (maxLength: number) =>
  fc.oneof(
    fc.string({ maxLength, unit: fc.constantFrom('a', 'b', '-', '.', '\\', ']', '^', 'ą', '\0') }),
    fc.string({ maxLength, unit: 'binary' }),
  );
const pattern = fc.array(
  text(5).map((one) => one.replaceAll(/[*|]/g, '')),
  { minLength: 1, maxLength: 4 },
);

test('P7 a word that a pattern matches is never put aside, whatever the other patterns are', () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 1, maxLength: 12 }),
      text(3),
      fc.nat(),
      (all, between, which) => {
        const wanted = new WantedWords(all.map((pieces) => compileGlob(pieces.join('*'))));
        const pieces = all[which % all.length]!;
        const word = pieces.join(between);
        expect(matchesGlob(compileGlob(pieces.join('*')), word)).toBe(true);
        expect(wanted.has(word)).toBe(true);
      },
    ),
    { numRuns },
  );
});

test('P7 a text that contains one of the pieces is always found', () => {
  const pieces = fc.array(text(6), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(pieces, text(8), text(8), fc.nat(), (all, before, after, which) => {
      expect(insideOf(all)?.test(`${before}${all[which % all.length]!}${after}`)).toBe(true);
    }),
    { numRuns },
  );
});

test.each([
  ['needle', 'needles', false],
  ['needle', 'n', false],
  ['ne*', 'other', false],
  ['*le', 'needles', false],
  ['*needle*', 'src/file.ts', false],
  ['*needle*', 'ne-edle', false],
])('A-76 with only the pattern %s, the word %s is wanted: %s', (glob, word, expected) => {
  expect(new WantedWords([compileGlob(glob)]).has(word)).toBe(expected);
});

test('A-76 with a thousand pieces, words without any of their beginnings are put aside', () => {
  const globs = Array.from({ length: 1000 }, (_, index) => compileGlob(`*needle${index}*`));
  const wanted = new WantedWords(globs);
  expect(['src/file-1-abcdefgh.ts', '--option-1=abcdefgh', 'a'].filter((word) => wanted.has(word))).toEqual(
    [],
  );
});

test('nothing is looked for without pieces', () => {
  expect(insideOf([])).toBeUndefined();
});
