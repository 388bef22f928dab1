import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeUnprintable, renderText } from '../../../../src/text/render-text.ts';
import { type Piece, piecesOfRendered, piecesOfWritten } from './marked-pieces.ts';

const marked = (pieces: readonly Piece[]) =>
  pieces.filter(({ name }) => name !== undefined).map(({ text }) => text);
const whole = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');

const written = String.raw`reason: "ü \u{ffffff} \u{202e} \n \x20{3}"`;

test('A-388: a line that is shown as it is written marks what nobody sees, and nothing that somebody wrote', () => {
  const pieces = piecesOfWritten(`${written}\u202E`);
  expect(marked(pieces)).toEqual([String.raw`\u{fc}`, String.raw`\u{202e}`]);
  expect(pieces.at(1)?.name).toBe('the character U+00FC: ü');
  expect(piecesOfWritten('plain \\n')).toEqual([{ text: 'plain \\n' }]);
});

test('A-388: no text ends the page: what is no character is no escape', () => {
  expect(marked(piecesOfRendered(written))).toEqual(['\\u{202e}', '\\n', '\\x20{3}']);
  expect(marked(piecesOfRendered(String.raw`\u{10ffff} \u{110000} \\u{41} \u{0000041}`))).toEqual([
    '\\u{10ffff}',
  ]);
});

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('\\', 'u{', 'ffffff', '202e', '}', 'x20{', '3', 'n', 'ü', ' '))
    .map((all) => all.join('')),
);

test('A-388: the pieces are the text, and the marks are the escapes that were made of it', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(whole(piecesOfWritten(text))).toBe(escapeUnprintable(text));
      expect(marked(piecesOfWritten(text))).toHaveLength((text.match(/[^\x20-\x7e]/gu) ?? []).length);
      expect(whole(piecesOfRendered(text))).toBe(text);
      const blanks = text.match(/ {2,}|^ | $/g) ?? [];
      expect(marked(piecesOfRendered(renderText(text)))).toHaveLength(
        blanks.length + (text.match(/[^\x20-\x7e]/gu) ?? []).length,
      );
    }),
  );
});
