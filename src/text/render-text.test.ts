import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  escapeUnprintable,
  renderArgument,
  renderArgv,
  renderBytes,
  renderPath,
  renderText,
} from './render-text.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  // Pieces that a reader could confuse: escapes, quotes, spaces, surrogates.
  fc.string({
    unit: fc.constantFrom(
      '\\',
      'n',
      '\n',
      '"',
      ' ',
      '  ',
      'x20',
      'u',
      '{',
      '9',
      'b',
      '}',
      '\u009b',
      '\ud800',
      '\u200b',
    ),
  }),
);
const anyArgv = fc.array(anyText, { minLength: 1, maxLength: 4 });

test('P11, A-47: two different command lines never look alike', () => {
  fc.assert(
    fc.property(anyArgv, anyArgv, (a, b) => {
      fc.pre(JSON.stringify(a) !== JSON.stringify(b));
      return renderArgv(a) !== renderArgv(b);
    }),
    { numRuns: 20_000 },
  );
});

test('P11, A-47: two different texts never look alike', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => a === b || renderText(a) !== renderText(b)),
    { numRuns: 20_000 },
  );
});

test('P11, A-47: only printable ASCII comes out, whatever goes in', () => {
  fc.assert(
    fc.property(anyArgv, (argv) => /^[\x20-\x7e]*$/.test(renderArgv(argv) + argv.map(renderText).join(''))),
  );
});

test('P11: two different strings of bytes never look alike, and only printable ASCII comes out', () => {
  const bytes = fc.uint8Array({ maxLength: 6 });
  const alike = fc.array(fc.constantFrom(...Buffer.from('\\x9b\n20{} ')), { maxLength: 6 });
  const any = fc.oneof(
    bytes,
    alike.map((list) => Uint8Array.from(list)),
  );
  fc.assert(
    fc.property(any, any, (a, b) => Buffer.compare(a, b) === 0 || renderBytes(a) !== renderBytes(b)),
    { numRuns: 20_000 },
  );
  fc.assert(fc.property(any, (a) => /^[\x20-\x7e]*$/.test(renderBytes(a))));
});

test('what is rendered is not rendered again', () => {
  fc.assert(fc.property(anyText, (text) => escapeUnprintable(renderText(text)) === renderText(text)));
});

test('A-81: no two blanks of a text are side by side, and none is at its ends', () => {
  fc.assert(fc.property(anyText, (text) => !/ {2}|^ | $/.test(renderText(text))));
});

test.each([
  ['npm', 'npm'],
  ['', '""'],
  ['a b', '"a b"'],
  ['a  b', '"a\\x20{2}b"'],
  [' ', '"\\x20{1}"'],
  [' {3}', '"\\x20{1}{3}"'],
  ['   ', '"\\x20{3}"'],
  ['a '.repeat(2), '"a a\\x20{1}"'],
  ['it"s', '"it\\"s"'],
  ['\u001b[2J\u001b[1;1HOK safe', '"\\u{1b}[2J\\u{1b}[1;1HOK safe"'],
  ['\u009b2J', '"\\u{9b}2J"'],
  ['a\rb', '"a\\rb"'],
  ['a\nApprove: yes', '"a\\nApprove: yes"'],
  ['\u202egnp.exe', '"\\u{202e}gnp.exe"'],
  ['\u200b', '"\\u{200b}"'],
  ['\u{e0041}', '"\\u{e0041}"'],
  ['\u2028', '"\\u{2028}"'],
  ['nрm', '"n\\u{440}m"'],
])('A-47: %j is shown as %s', (argument, shown) => {
  expect(renderArgument(argument)).toBe(shown);
});

test('A-538 P11: a path beside other columns is bare only if it has no blank, and no two look alike', () => {
  const bytes = fc.uint8Array({ maxLength: 12 });
  const likely = fc.stringMatching(/^[a " \\\t]{0,8}$/).map((text) => new Uint8Array(Buffer.from(text)));
  const path = fc.oneof(bytes, likely);
  fc.assert(
    fc.property(path, path, (one, other) => {
      const [shown, others] = [renderPath(one), renderPath(other)];
      expect(shown === others).toBe(Buffer.from(one).equals(other));
      expect(shown).toMatch(/^(?:[!#-~]*|"(?:[!#-~]|\\"| (?! ))*")$/);
    }),
    { numRuns: 2_000 },
  );
  expect(renderPath(Buffer.from('src/a b.ts'))).toBe('"src/a b.ts"');
  expect(renderPath(Buffer.from('src/a.ts  2026-11-30'))).toBe('"src/a.ts\\x20{2}2026-11-30"');
});
