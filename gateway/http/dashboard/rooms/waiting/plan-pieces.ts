import type { PlanLine } from '../../../../../src/text/describe-plan.ts';

/** A part of a line that fits onto any screen at once. */
export interface Piece {
  readonly number: number;
  /** Empty if it continues the line. */
  readonly name: string;
  readonly text: string;
  readonly notes: readonly string[];
  readonly continues: boolean;
}

/** So many characters that no escape is split. */
const most = 400;
const piece = new RegExp(String.raw`(?:\\(?:u\{[0-9a-f]{1,6}\}|x20\{\d{1,8}\}|.)|.){1,${most}}`, 'g');

export function planPieces(lines: readonly PlanLine[]): Piece[] {
  const pieces: Piece[] = [];
  let [list, at] = ['', 0];
  for (const { name, text, notes } of lines) {
    [list, at] = name === '' ? [list, at + 1] : [name, 0];
    const parts = text.match(piece) ?? [''];
    for (const [part, shown] of parts.entries()) {
      const isFirst = part === 0;
      const label = name === '' ? `${at}` : name;
      pieces.push({
        number: pieces.length,
        name: isFirst ? label : '',
        text: shown,
        notes: isFirst ? notes : [],
        continues: !isFirst,
      });
    }
  }
  return pieces;
}
