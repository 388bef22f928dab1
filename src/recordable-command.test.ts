import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordable, recordableBytes } from './recordable-command.ts';

// Sizes around the limit, with characters of one to four bytes.
const character = fc.constantFrom('a', ' ', 'é', '\u2028', '€', '😀');
const text = fc
  .tuple(character, fc.oneof(fc.nat(20), fc.integer({ min: 1000, max: 4200 })))
  .map(([one, times]) => one.repeat(times));
const argv = fc.array(text, { minLength: 1, maxLength: 12 });

const sizeOf = (words: readonly string[]) =>
  words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);

test('P20: what is kept of a command is bounded, its beginning, and says what it was cut from', () => {
  fc.assert(
    fc.property(argv, text, (words, cwd) => {
      const kept = recordable(words, cwd);
      expect(sizeOf(kept.argv)).toBeLessThanOrEqual(recordableBytes);
      expect(Buffer.byteLength(kept.cwd)).toBeLessThanOrEqual(recordableBytes);
      expect(kept.argv.every((word, index) => words[index]?.startsWith(word))).toBe(true);
      expect(kept.argv.slice(0, -1)).toEqual(words.slice(0, Math.max(0, kept.argv.length - 1)));
      expect(cwd.startsWith(kept.cwd)).toBe(true);
      if (kept.cut === undefined) {
        expect(kept).toEqual({ argv: words, cwd });
        return;
      }
      const whole = [...words, cwd].map((word) => `${word}\0`).join('');
      const sha256 = createHash('sha256').update(whole).digest('hex');
      expect(kept.cut).toEqual({ bytes: Buffer.byteLength(whole), words: words.length, sha256 });
    }),
    { numRuns: 300 },
  );
});

test('what fits is kept as it is, and one byte more is cut', () => {
  expect(recordable(['a'.repeat(recordableBytes - 1)], '/app').cut).toBeUndefined();
  expect(recordable(['a'.repeat(recordableBytes)], '/app').argv).toEqual(['a'.repeat(recordableBytes - 1)]);
  expect(recordable(['ls', '', ''], '/app')).toEqual({ argv: ['ls', '', ''], cwd: '/app' });
});
