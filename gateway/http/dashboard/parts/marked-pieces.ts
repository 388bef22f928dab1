import { escapeUnprintable } from '../../../../src/text/render-text.ts';
import { kindOfCharacter } from '../../../../src/text/unusual-characters.ts';

/** A part of a text as it is shown; with a `name`, it is an escape of ours and stands for that character. */
export interface Piece {
  readonly text: string;
  readonly name?: string;
}

/** What `render-text.ts` makes of a character that a reader would not see, or take for another one. */
const escape = /\\(?:u\{(?:10|[0-9a-f])?[0-9a-f]{1,4}\}|x20\{\d+\}|[nrt])/g;
const unprintable = /([^\x20-\x7e])/u;

/** Of a text that is rendered already. */
export function piecesOfRendered(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  // A doubled backslash is one that was written; it begins no escape.
  for (const { 0: found, index } of text.replaceAll('\\\\', '\0\0').matchAll(escape)) {
    pieces.push({ text: text.slice(at, index) }, { text: found, name: nameOf(found) });
    at = index + found.length;
  }
  return [...pieces, { text: text.slice(at) }];
}

/** Of a text that is shown as it is written, but for the characters that nobody sees. */
export function piecesOfWritten(text: string): Piece[] {
  // Each second part is what it was split at.
  return text.split(unprintable).map((part, at) => {
    const shown = escapeUnprintable(part);
    return at % 2 === 0 ? { text: part } : { text: shown, name: nameOf(shown) };
  });
}

const names: Readonly<Record<string, string>> = {
  '\\n': 'a line break',
  '\\r': 'a carriage return',
  '\\t': 'a tab',
};

function nameOf(escaped: string): string {
  const known = names[escaped];
  if (known !== undefined) return known;
  const blanks = /^\\x20\{(\d+)\}$/.exec(escaped)?.[1];
  if (blanks !== undefined) return blanks === '1' ? 'a blank at the edge' : `${blanks} blanks`;
  const code = escaped.slice(3, -1);
  const character = String.fromCodePoint(Number.parseInt(code, 16));
  const kind = kindOfCharacter(character);
  const rest = kind === 'may look like another one' ? `: ${character}` : `, which ${kind ?? 'is plain'}`;
  return `the character U+${code.toUpperCase().padStart(4, '0')}${rest}`;
}
