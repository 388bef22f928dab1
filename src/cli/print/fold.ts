/** The beginning of a continued row: none of our lines, no quote and no bare word begins with it. */
export const continued = '  \\ ';
/**
 * The end of a row that continues, so that a blank before it is visible: a rendered text never has a backslash alone.
 */
const goesOn = '\\';
/** If there is less room, rows still have this width. */
export const leastColumns = 20;

/** A unit that must not be split: one character, or one escape of `render-text.ts`. */
const unit = /\\(?:u\{[0-9a-f]{1,6}\}|x20\{\d{1,8}\}|x[0-9a-f]{2}|.)|./g;

/** The part of a text in one row, and the marks around it. */
export interface Piece {
  readonly before: string;
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

/** A rendered text in rows of at most `columns` characters: no terminal needs to wrap it, and no escape is split. */
export function foldText(text: string, columns: number): Piece[] {
  const starts = rowStarts(text, Math.max(columns, leastColumns));
  return starts.map((start, row) => ({
    before: row === 0 ? '' : continued,
    start,
    end: starts[row + 1] ?? text.length,
    after: row === starts.length - 1 ? '' : goesOn,
  }));
}

/** A rendered text in one row of at most `columns` characters. Omitted characters are counted: `npm inst\+12`. */
export function cutText(text: string, columns: number): string {
  if (text.length <= columns) return text;
  const room = columns - `\\+${text.length}`.length;
  const end = room < 1 ? 0 : endOfUnits(text, 0, room);
  return `${text.slice(0, end)}\\+${text.length - end}`.slice(0, Math.max(0, columns));
}

function rowStarts(text: string, columns: number): number[] {
  const starts = [0];
  let start = 0;
  for (let room = columns; text.length - start > room; room = columns - continued.length) {
    start = rowEnd(text, start, room - goesOn.length);
    starts.push(start);
  }
  return starts;
}

/** No continued row begins with a blank, which its mark would hide. */
function rowEnd(text: string, start: number, room: number): number {
  const end = endOfUnits(text, start, room);
  if (text[end] !== ' ') return end;
  const before = endOfUnits(text, start, end - start - 1);
  return before > start ? before : end;
}

/** The end of the last whole unit that begins at or after `start` and fits into `room`. */
function endOfUnits(text: string, start: number, room: number): number {
  if (!text.slice(start, start + room).includes('\\')) return Math.min(text.length, start + room);
  let end = start;
  const units = new RegExp(unit);
  units.lastIndex = start;
  for (let found = units.exec(text); found !== null; found = units.exec(text)) {
    if (units.lastIndex > start + room) break;
    end = units.lastIndex;
  }
  return end;
}
