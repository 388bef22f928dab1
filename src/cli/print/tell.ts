import { foldRow, plainText } from './cells.ts';

/** One line for people on stderr, in printable ASCII even if a peer wrote parts of it; folded on a terminal. */
export function tell(line: string): void {
  const { isTTY, columns } = process.stderr;
  const rows = isTTY && columns > 0 ? foldRow([line], columns) : [[line]];
  // A closed stderr does not change what was done.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  process.stderr.write(rows.map((row) => `${row.map(plainText).join('')}\n`).join(''));
}
