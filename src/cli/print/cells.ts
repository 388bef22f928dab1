import { escapeUnprintable } from '../../text/render-text.ts';
import { cutText, foldText } from './fold.ts';

export type Color = 'red' | 'yellow' | 'green' | 'grey' | 'bold';

/** A text (already rendered if an agent wrote it) and its colour on a terminal. */
export type Cell = string | readonly [text: string, color: Color];

/** Cells side by side. */
export type Row = readonly Cell[];

export function plainText(cell: Cell): string {
  return escapeUnprintable(typeof cell === 'string' ? cell : cell[0]);
}

export function withText(cell: Cell, text: string): Cell {
  return typeof cell === 'string' ? text : [text, cell[1]];
}

/** The same row as several rows, each at most `columns` wide. */
export function foldRow(row: Row, columns: number): Row[] {
  return foldText(textOf(row), columns).map(({ before, start, end, after }) => [
    ...(before === '' ? [] : [before]),
    ...slice(row, start, end),
    ...(after === '' ? [] : [after]),
  ]);
}

/** One row at most `columns` wide; it counts the characters that it leaves out. */
export function cutRow(row: Row, columns: number): Row {
  const text = textOf(row);
  if (text.length <= columns) return row;
  const cut = cutText(text, columns);
  const same = Math.min(cut.lastIndexOf('\\+'), text.length);
  return [...slice(row, 0, same), cut.slice(same)];
}

function textOf(row: Row): string {
  return row.map(plainText).join('');
}

function slice(row: Row, start: number, end: number): Row {
  let at = 0;
  return row.flatMap((cell): Row => {
    const text = plainText(cell);
    const part = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += text.length;
    return part === '' ? [] : [withText(cell, part)];
  });
}
