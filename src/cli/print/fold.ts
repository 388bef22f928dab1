/** Begins a row that goes on from the one before: no line of ours, no quote and no bare word begins so. */
export const continued = '  \\ ';
/** Ends a row that goes on, so that a blank before it is seen: a rendered text has no backslash alone. */
const goesOn = '\\';
/** Where less room is given, rows are as wide as this. */
export const leastColumns = 20;

/** What stands or falls together: one character, or one escape of `render-text.ts`. */
const unit = /\\(?:u\{[0-9a-f]{1,6}\}|x20\{\d{1,8}\}|x[0-9a-f]{2}|.)|./g;

/** What one row shows of a text, and the marks around it. */
export interface Piece {
  readonly before: string;
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

/** A rendered text in rows of at most `columns` characters: no terminal has to wrap it, and no escape is torn. */
export function foldText(text: string, columns: number): Piece[] {
  const starts = rowStarts(text, Math.max(columns, leastColumns));
  return starts.map((start, row) => ({
    before: row === 0 ? '' : continued,
    start,
    end: starts[row + 1] ?? text.length,
    after: row === starts.length - 1 ? '' : goesOn,
  }));
}

/** A rendered text in one row of at most `columns` characters. What is left out is counted: `npm inst\+12`. */
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

/** No row goes on with a blank, which its mark would hide. */
function rowEnd(text: string, start: number, room: number): number {
  const end = endOfUnits(text, start, room);
  if (text[end] !== ' ') return end;
  const before = endOfUnits(text, start, end - start - 1);
  return before > start ? before : end;
}

/** The end of the last unit that begins at or behind `start` and fits into `room` whole. */
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
