import { foldRow, plainText } from './cells.ts';

/** One line for people on stderr, printable ASCII whatever a peer wrote in it, and folded where that is a terminal. */
export function tell(line: string): void {
  const { isTTY, columns } = process.stderr;
  const rows = isTTY && columns > 0 ? foldRow([line], columns) : [[line]];
  // Whether anybody reads it changes nothing of what was done.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  process.stderr.write(rows.map((row) => `${row.map(plainText).join('')}\n`).join(''));
}
