import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteText, renderArgv } from '../../text/render-text.ts';
import { plainText } from './cells.ts';
import { fitColumns } from './fit-columns.ts';
import { continued, cutText, foldText } from './fold.ts';
import { tableRows } from './output.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 1000;
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom(' ', '  ', 'a', 'word ', '\\', '"', '\u202e', '\u{10ffff}', '{3}', 'x20'), {
      maxLength: 200,
    })
    .map((parts) => parts.join('')),
);
const anyColumns = fc.integer({ min: 20, max: 200 });

function rowsOf(text: string, columns: number): string[] {
  return foldText(text, columns).map(
    ({ before, start, end, after }) => `${before}${text.slice(start, end)}${after}`,
  );
}

test('A-81: folded rows fit, tear no escape, lose nothing, and begin with no blank', () => {
  fc.assert(
    fc.property(anyText, anyColumns, (raw, columns) => {
      const text = quoteText(raw);
      const rows = rowsOf(text, columns);
      expect(rows.filter((row) => row.length > columns)).toEqual([]);
      const pieces = rows.map((row, index) => {
        const last = index === rows.length - 1;
        const piece = row.slice(index === 0 ? 0 : continued.length, last ? undefined : -1);
        expect(piece).toMatch(/^(?! )(?:[^\\]|\\(?:u\{[0-9a-f]+\}|x20\{\d+\}|["\\nrt]))*$/);
        return piece;
      });
      expect(pieces.join('')).toBe(text);
      expect(rows.slice(0, -1).every((row) => row.endsWith('\\'))).toBe(true);
      expect(rows.slice(1).every((row) => row.startsWith(continued))).toBe(true);
    }),
    { numRuns },
  );
});

test('A-81: texts that differ are folded differently', () => {
  fc.assert(
    fc.property(anyText, anyText, anyColumns, (a, b, columns) => {
      fc.pre(a !== b);
      return rowsOf(quoteText(a), columns).join('\n') !== rowsOf(quoteText(b), columns).join('\n');
    }),
    { numRuns },
  );
});

test('what is no escape of ours, and longer than a row, is folded all the same', () => {
  expect(rowsOf(`\\u{${'f'.repeat(100)}}`, 20).length).toBeGreaterThan(5);
});

test('A-81: a text that is cut fits, and counts what is left out', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 8, max: 100 }), (raw, columns) => {
      const text = quoteText(raw);
      const cut = cutText(text, columns);
      expect(cut.length).toBeLessThanOrEqual(columns);
      if (cut === text) return;
      const [, kept = '', left = ''] = /^(.*)\\\+(\d+)$/.exec(cut) ?? [];
      expect(text.startsWith(kept)).toBe(true);
      expect(kept.length + Number(left)).toBe(text.length);
    }),
    { numRuns },
  );
});

const record = fc.tuple(
  fc.constant('0199f3a1-b2c3-7abc'),
  fc.constant('2026-11-21 08:00:00'),
  fc.array(anyText),
);

test('A-81: rows of a table fit, one for each record, and what is typed from them is whole', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 4 }), fc.integer({ min: 40, max: 200 }), (records, columns) => {
      const cells = records.map(([id, time, argv]) => [id, time, 'coder', renderArgv(argv)]);
      const rows = tableRows(['ID', 'RECEIVED', 'AGENT', 'COMMAND'], cells, columns, 1).map((row) =>
        row.map(plainText).join(''),
      );
      expect(rows.length).toBe(records.length + 1);
      for (const row of rows) expect(row).toMatch(new RegExp(`^[\\x20-\\x7e]{0,${columns}}$`));
      for (const row of rows.slice(1)) expect(row.slice(0, 20)).toBe('0199f3a1-b2c3-7abc  ');
    }),
    { numRuns: numRuns / 5 },
  );
});

test.each([
  [[10, 10, 10], 40, [10, 10, 10]],
  [[10, 10, 100], 60, [10, 10, 36]],
  [[18, 19, 5, 90, 90], 100, [18, 19, 5, 25, 25]],
  [[18, 50], 20, [18, 0]],
  [[30, 50], 20, [20, 0]],
])('columns of %j in %i', (natural, columns, widths) => {
  expect(fitColumns(natural, columns, 1)).toEqual(widths);
});
