import type { Glob } from './glob.ts';
import { insideOf } from './inside-pattern.ts';

/** Of seven bits each; other letters share their places. */
const letters = 128;
const anyLength = -1;

/**
 * For most words of a long command, says quickly that no pattern is about them; made once from all patterns of a
 * policy. If it says that one is, it may be wrong.
 */
export class WantedWords {
  /** By the first letter: the lengths, as bits. */
  readonly #byFirst = new Int32Array(letters);
  readonly #byFirstTwo = new Uint8Array(letters * letters);
  readonly #byLast = new Uint8Array(letters);
  readonly #byLastTwo = new Uint8Array(letters * letters);
  readonly #inside: RegExp | undefined;
  #hasEnds = false;

  constructor(globs: readonly Glob[]) {
    this.#inside = insideOf(globs.flat().flatMap((pieces) => this.#addEnds(pieces) ?? []));
  }

  has(word: string): boolean {
    const { length } = word;
    return (
      (((this.#byFirst[placeOf(word, 0)] ?? 0) & (1 << length)) !== 0 &&
        this.#byFirstTwo[placeOfTwo(word, 0)] === 1) ||
      (this.#hasEnds &&
        this.#byLast[placeOf(word, length - 1)] === 1 &&
        this.#byLastTwo[placeOfTwo(word, length - 2)] === 1) ||
      (this.#inside !== undefined && this.#inside.test(word))
    );
  }

  /** A word that matches contains the longest piece, at the same end; returns it if that is neither of them. */
  #addEnds(pieces: readonly string[]): string | undefined {
    const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
    if (pieces.length === 1) this.#addStart(longest, 1 << longest.length);
    else if (longest.length < 2) this.#addAll();
    else if (longest === pieces[0]) this.#addStart(longest, anyLength);
    else if (longest === pieces.at(-1)) this.#addEnd(longest);
    else return longest;
    return undefined;
  }

  #addStart(start: string, lengths: number): void {
    const place = placeOf(start, 0);
    this.#byFirst[place] = (this.#byFirst[place] ?? 0) | lengths;
    this.#byFirstTwo[placeOfTwo(start, 0)] = 1;
  }

  #addEnd(end: string): void {
    this.#hasEnds = true;
    this.#byLast[placeOf(end, end.length - 1)] = 1;
    this.#byLastTwo[placeOfTwo(end, end.length - 2)] = 1;
  }

  #addAll(): void {
    this.#byFirst.fill(anyLength);
    this.#byFirstTwo.fill(1);
  }
}

/** What is outside of the word counts as no letter. */
function placeOf(word: string, at: number): number {
  return at >= 0 && at < word.length ? word.charCodeAt(at) & (letters - 1) : 0;
}

function placeOfTwo(word: string, at: number): number {
  return (placeOf(word, at) << 7) | placeOf(word, at + 1);
}
