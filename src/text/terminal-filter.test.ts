import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTerminalFilter } from './terminal-filter.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 20_000 : 1000;

function filtered(...parts: readonly string[]): string {
  const filter = createTerminalFilter();
  return parts.map(filter.next).join('');
}

const [esc, csi, bell] = ['\u001b', '\u001b[', '\u0007'];

/** Pieces of sequences, good and bad, whole and torn. */
const piece = fc.oneof(
  fc.constantFrom(...[esc, csi, '\u009b', '\u009d', '\u0090', '\u009c', `${esc}]`, `${esc}P`, `${esc}\\`]),
  fc.constantFrom(
    ...['0', '1', '8', '38', '58', '5', '2', ';', ':', '?', '>', '$', ' ', '!', '999999999', '52;c;'],
  ),
  fc.constantFrom(...['m', 'A', 'H', 'J', 'K', 'h', 'l', 'n', 'c', 't', 'q', 'b', 'r', '(', '#', '7', '=']),
  fc.constantFrom(
    ...['\n', '\r', '\t', '\b', '\u0000', '\u0005', bell, '\u000e', '\u0018', '\u007f', '\u0085'],
  ),
  fc.constantFrom(...['text', 'ü', '🐚', '\u202e', '\u2066', '\u2028']),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const hostile = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));

/** All that ever passes, and each sequence whole. */
const safe = new RegExp(
  [
    '^(?:',
    String.raw`[\x20-\x7e\n\r\t\b]`,
    String.raw`|(?![\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff])[\xa0-\uffff]`,
    String.raw`|\x1b[78DEM]`,
    String.raw`|\x1b\[(?!(?:[0-9;]*;)?0*8m)[0-9;:]*m`,
    String.raw`|\x1b\[(?:(?:[0-4]?[0-9]{1,2}|500)?;?)*[ABCDEFGHdfJKPX@LMST]`,
    ')*$',
  ].join(''),
);

test('A-47 A-136: whatever a tool writes, only text, colours and movements reach a terminal', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shown = filtered(text);
      expect(shown).toMatch(safe);
      expect(filtered(shown)).toBe(shown);
    }),
    { numRuns },
  );
});

test('A-136: it is the same wherever the bytes are cut', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const bytes = Buffer.from(text);
      const whole = filtered(new TextDecoder().decode(bytes));
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        const decoder = new TextDecoder();
        const parts = [bytes.subarray(0, cut), bytes.subarray(cut)];
        const shown = filtered(
          ...parts.map((part) => decoder.decode(part, { stream: true })),
          decoder.decode(),
        );
        expect(shown).toBe(whole);
      }
    }),
    { numRuns: numRuns / 10 },
  );
});

test.each([
  ['plain text, lines, a bar that grows', 'a\r\nb\t50%\r\b 51%', 'a\r\nb\t50%\r\b 51%'],
  ['colours', `${csi}1;31mred${csi}38;5;8mgrey${csi}0m`, `${csi}1;31mred${csi}38;5;8mgrey${csi}0m`],
  ['movements', `${csi}2A${csi}K${csi}10;20H${esc}M`, `${csi}2A${csi}K${csi}10;20H${esc}M`],
  ['a movement that would keep the terminal busy', `${csi}999999999L`, `${csi}100L`],
  ['letters that nobody sees', `${csi}8mhidden${csi}1;8mtoo`, `hidden${csi}1mtoo`],
  [
    'colours of underlines, whose numbers are others to some terminals',
    `${csi}58;5;8ma${csi}1;58;2;8;8;8;4mb${csi}58:5:8mc${csi}058;05;8md`,
    `a${csi}1;4mbcd`,
  ],
  [
    'a broken colour, which would make another of what comes behind it',
    `${csi}38;8;5;48;5;8ma${csi}38;5mb`,
    `${csi}5;48;5;8mab`,
  ],
  ['a title', `${esc}]0;root@prod${bell}ls`, 'ls'],
  ['the clipboard', `${esc}]52;c;cm0gLXJmIC8=${esc}\\ls`, 'ls'],
  ['a link', `${esc}]8;;https://evil.example${esc}\\click${esc}]8;;${esc}\\`, 'click'],
  [
    'questions that a terminal answers',
    `${csi}c${csi}6n${csi}>c${csi}21t${esc}Z${esc}P$q"p${esc}\\.\u0005`,
    '.',
  ],
  ['modes', `${csi}?1049h${csi}?1000h${csi}?25l${csi}20h.`, '.'],
  ['a reset, character sets, a screen of E', `${esc}c${esc}(0${csi}!p${esc}#8.`, '.'],
  ['one character, many times', `x${csi}999999999b`, 'x'],
  ['the eight-bit forms', '\u009b6n\u009d0;title\u009c\u0090x\u009c.', '.'],
  ['no end: what comes in the next line is told', `${esc}]0;hide all the rest\nrm -rf /\n`, '\nrm -rf /\n'],
  ['a control within a sequence', `${csi}3\n1mred`, '\n1mred'],
  ['an order of letters that is not theirs', 'a\u202eb', 'a\\u{202e}b'],
  [
    'what nobody sees, and another end of a line',
    'a\u200bb\u00adc\ufeffd\u2028e\u2029f\u2060g',
    'a\\u{200b}b\\u{ad}c\\u{feff}d\\u{2028}e\\u{2029}f\\u{2060}g',
  ],
  ['joiners of letters and of pictures', 'नमस्\u200dते 👩\u200d💻 ❤\ufe0f', 'नमस्\u200dते 👩\u200d💻 ❤\ufe0f'],
])('A-136: %s', (_what, text, shown) => {
  expect(filtered(text)).toBe(shown);
});

test('what was left out is counted; a gap ends what was begun', () => {
  const filter = createTerminalFilter();
  expect(filter.next(`a${csi}6n${bell}b${esc}]0;tit`)).toBe('ab');
  filter.end();
  expect(filter.next('le')).toBe('le');
  expect(filter.left()).toBe(3);
});

test('a string that does not end hides no more than a title has', () => {
  expect(filtered(`${esc}]0;${'x'.repeat(100_000)}`).length).toBeGreaterThan(95_000);
});

test.each(['\u0301', '\u200d', '\u1160', '\u{e0100}'])(
  'A-632 P20: a letter has few marks that take no room, however the text is cut: %j',
  (mark) => {
    const text = `a${mark.repeat(1000)}b${mark.repeat(3)}c`;
    for (const size of [1, 7, text.length]) {
      const filter = createTerminalFilter();
      // A character is whole when it comes.
      const all = [...text];
      const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
        filter.next(all.slice(at * size, (at + 1) * size).join('')),
      );
      expect(pieces.join('')).toBe(`a${mark.repeat(16)}b${mark.repeat(3)}c`);
      expect(filter.left()).toBeGreaterThan(0);
    }
  },
);
