import type { PlanLine } from '../../../../../src/text/describe-plan.ts';

/** A part of a line that fits onto any screen at once. */
export interface Piece {
  readonly number: number;
  /** Empty if it continues the line. */
  readonly name: string;
  readonly text: string;
  readonly notes: readonly string[];
  readonly continues: boolean;
  /** It stands beside the one before or after it. */
  isHalf: boolean;
}

/** So many characters that no escape is split. */
const most = 400;
/** Of what fits into half a row. */
const shortAtMost = 26;
const piece = new RegExp(String.raw`(?:\\(?:u\{[0-9a-f]{1,6}\}|x20\{\d{1,8}\}|.)|.){1,${most}}`, 'g');

export function planPieces(lines: readonly PlanLine[]): Piece[] {
  const pieces: Piece[] = [];
  let [list, at] = ['', 0];
  /** Half a row is free beside it. */
  let first: Piece | undefined;
  for (const [number, { name, text, notes }] of lines.entries()) {
    [list, at] = name === '' ? [list, at + 1] : [name, 0];
    const parts = text.match(piece) ?? [''];
    const isAlone = name !== '' && name !== 'argv' && lines[number + 1]?.name !== '';
    const isShort = isAlone && [text, ...notes].join(' ').length <= shortAtMost;
    const isSecond = isShort && first !== undefined;
    if (isShort && first !== undefined) first.isHalf = true;
    for (const [part, shown] of parts.entries()) {
      const isFirst = part === 0;
      const label = name === '' ? `${at}` : name;
      pieces.push({
        number: pieces.length,
        name: isFirst ? label : '',
        text: shown,
        notes: isFirst ? notes : [],
        continues: !isFirst,
        isHalf: isSecond,
      });
    }
    first = isShort && !isSecond ? pieces.at(-1) : undefined;
  }
  return pieces;
}
