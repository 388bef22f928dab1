import { styleText } from 'node:util';
import { asciiJson } from '../../text/ascii-json.ts';
import { type Cell, cutRow, foldRow, plainText, type Row, withText } from './cells.ts';
import { fitColumns } from './fit-columns.ts';
import { cutText, leastColumns } from './fold.ts';
import { writeOut } from './streams.ts';

export type { Cell, Color } from './cells.ts';

/** One of our names (or none, if the value continues the one before), and the value. */
export type Fact = readonly [name: string, value: Cell];

/** Columns of a page if stdout is no terminal: every pager has them. */
const columnsElsewhere = 80;

/** Escaped, so that it is safe on a terminal and in a pipe. */
export function printJson(value: unknown): void {
  writeOut(`${asciiJson(value)}\n`);
}

/** On a terminal the row is cut to fit; elsewhere it is one whole line. */
export function printTable(headers: readonly string[], rows: readonly Row[], kept: number = 1): void {
  for (const row of tableRows(headers, rows, terminalColumns(), kept)) write(row);
}

/**
 * Columns as wide as their widest cell. If that is too much they are cut, except the first `kept`, which people type
 * again.
 */
export function tableRows(
  headers: readonly string[],
  rows: readonly Row[],
  columns: number | undefined,
  kept: number,
): Row[] {
  const all: Row[] = [headers.map((text): Cell => [text, 'grey']), ...rows];
  const natural = headers.map((_header, column) =>
    all.reduce((widest, row) => Math.max(widest, plainText(row[column] ?? '').length), 0),
  );
  if (columns === undefined) return all.map((row) => padded(row, natural));
  const widths = fitColumns(natural, columns, kept);
  return all.map((row) => cutRow(padded(row, widths), columns));
}

function padded(row: Row, widths: readonly number[]): Row {
  return row.flatMap((cell, column): Row => {
    const width = widths[column] ?? 0;
    const text = cutText(plainText(cell), width);
    return [withText(cell, text), column === row.length - 1 ? '' : ' '.repeat(width - text.length + 2)];
  });
}

/** `name  value` rows, the values aligned and folded. */
export function printFacts(facts: readonly Fact[]): void {
  for (const { row } of factRows(facts, pageColumns())) write(row);
}

/** The rows of a page of facts, each at most `columns` wide, with the index of the fact that each shows. */
export function factRows(
  facts: readonly Fact[],
  columns: number,
): { readonly fact: number; readonly row: Row }[] {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.flatMap(([name, value], fact) =>
    foldRow([[name.padEnd(width), 'grey'], '  ', value], columns).map((row) => ({ fact, row })),
  );
}

/** A line of a page, folded like facts. */
export function printFolded(...cells: Row): void {
  for (const row of foldRow(cells, pageColumns())) write(row);
}

/** One line; folded only on a terminal. */
export function printLine(...cells: Row): void {
  const columns = terminalColumns();
  if (columns === undefined) write(cells);
  else for (const row of foldRow(cells, columns)) write(row);
}

/** One unfolded line, for text that people copy. Use it only if an agent chose nothing in it. */
export function printWhole(text: string): void {
  write([text]);
}

/** The text for stdout, coloured if that is a terminal. */
export function colored(cell: Cell): string {
  const text = plainText(cell);
  return typeof cell === 'string' ? text : styleText(cell[1], text, { stream: process.stdout });
}

function write(row: Row): void {
  writeOut(`${row.map(colored).join('').trimEnd()}\n`);
}

/** Columns of the terminal on stdout; undefined if it is no terminal or does not say. */
function terminalColumns(): number | undefined {
  const { isTTY, columns } = process.stdout;
  if (!isTTY) return undefined;
  return columns > 0 ? Math.max(columns, leastColumns) : columnsElsewhere;
}

/** If stdout is no terminal, `COLUMNS` can say how wide the page is. */
function pageColumns(): number {
  const set = Number(process.env['COLUMNS']);
  const elsewhere = Number.isInteger(set) && set >= leastColumns ? set : columnsElsewhere;
  return terminalColumns() ?? elsewhere;
}
