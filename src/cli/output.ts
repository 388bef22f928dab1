import { styleText } from 'node:util';
import { asciiJson } from '../ascii-json.ts';
import { escapeUnprintable } from '../render-text.ts';

export type Color = 'red' | 'yellow' | 'green' | 'grey' | 'bold';

/** A text, rendered already where an agent wrote it, and its colour on a terminal. */
export type Cell = string | readonly [text: string, color: Color];

/** As safe on a terminal as in a pipe. */
export function printJson(value: unknown): void {
  process.stdout.write(`${asciiJson(value)}\n`);
}

/** Columns as wide as their widest cell, nothing cut. */
export function printTable(headers: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const cells = [headers.map((text): Cell => [text, 'grey']), ...rows];
  const widths = headers.map((_header, column) =>
    Math.max(...cells.map((row) => plain(row[column] ?? '').length)),
  );
  for (const row of cells) {
    const last = row.length - 1;
    const line = row.map((cell, column) => {
      const padding = column === last ? '' : ' '.repeat((widths[column] ?? 0) - plain(cell).length);
      return `${colored(cell)}${padding}`;
    });
    process.stdout.write(`${line.join('  ').trimEnd()}\n`);
  }
}

/** `name  value` lines, the values one below the other. */
export function printFacts(facts: readonly (readonly [name: string, value: Cell])[]): void {
  const width = Math.max(...facts.map(([name]) => name.length));
  for (const [name, value] of facts) {
    const label = styleText('grey', name.padEnd(width), { stream: process.stdout });
    process.stdout.write(`${label}  ${colored(value)}\n`);
  }
}

export function printLine(...cells: readonly Cell[]): void {
  process.stdout.write(`${cells.map(colored).join('')}\n`);
}

/** As it is written to stdout: in its colour where that is a terminal. */
export function colored(cell: Cell): string {
  return typeof cell === 'string' ? plain(cell) : styleText(cell[1], plain(cell), { stream: process.stdout });
}

function plain(cell: Cell): string {
  return escapeUnprintable(typeof cell === 'string' ? cell : cell[0]);
}
