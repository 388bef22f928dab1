import { smallLetters } from '../small-letters.ts';
/** Literal pieces around each `*`, per alternative: `a*b|c` is `[["a","b"],["c"]]`. */
export type Glob = readonly (readonly string[])[];

/**
 * `*` is any run of characters, also an empty one, and also `/`; `|` separates alternatives. No other character is
 * special.
 */
export function compileGlob(pattern: string): Glob {
  return pattern.split('|').map((alternative) => alternative.split('*'));
}

/** For texts in small letters, but for the letter of an option at their beginning. */
export function inSmallLetters(glob: Glob): Glob {
  return glob.map((pieces) =>
    pieces.map((piece, at) => (at === 0 ? smallBehindLetter(piece) : smallLetters(piece))),
  );
}

function smallBehindLetter(text: string): string {
  const end = text.startsWith('-') ? 2 : 0;
  return `${text.slice(0, end)}${smallLetters(text.slice(end))}`;
}

/** Anchored at both ends. Takes time in proportion to the text, for every pattern. */
export function matchesGlob(glob: Glob, text: string): boolean {
  for (const pieces of glob) if (matchesPieces(pieces, text)) return true;
  return false;
}

function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return text === first;
  const last = pieces.at(-1) ?? '';
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  // The leftmost place for each piece leaves the most room for the next, so no piece needs a second try.
  let at = first.length;
  for (let index = 1; index < pieces.length - 1; index += 1) {
    const piece = pieces[index] ?? '';
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= end;
}
