/** Marks for the two ends of a text; they cannot occur inside. */
const end = '\0';
/** Three letters of seven bits each; other letters share their places. */
const window = 0x1f_ffff;
/** Some arguments count in any case, so a letter and its capital are the same here. */
const smallLetter = 0x20;
const spread = 0x9e37_79b1 | 0;

/** What a text must contain: its runs of three letters, as numbers. */
export type Marks = Uint32Array;

/** For a glob's pieces; the first and the last stand at the ends of the argument. */
export function marksOfPieces(pieces: readonly string[]): Marks {
  const marked = pieces.map((piece, index) => {
    const start = index === 0 && piece !== '' ? end : '';
    return `${start}${piece}${index === pieces.length - 1 && piece !== '' ? end : ''}`;
  });
  return Uint32Array.from(marked.flatMap((piece) => [...marksOf(piece)]));
}

/** Anywhere in an argument. */
export const marksInside = marksOf;

function marksOf(text: string): Marks {
  const marks = new Uint32Array(Math.max(0, text.length - 2));
  let run = 0;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text.charCodeAt(index);
    run = ((run << 7) ^ (letter === 0 ? 0 : letter | smallLetter)) & window;
    if (index >= 2) marks[index - 2] = Math.imul(run, spread);
  }
  return marks;
}

/**
 * For most texts, says quickly that they occur nowhere among some arguments, however many and long these are; it is
 * made in one pass over them. If it says that a text may occur, it may be wrong.
 */
export class TextFilter {
  readonly #seen: Uint8Array;
  readonly #shift: number;

  /** `length`: of all the texts that will be added. */
  constructor(length: number) {
    const bits = length < 512 ? 12 : length < 16_384 ? 15 : 18;
    this.#seen = new Uint8Array(1 << bits);
    this.#shift = 32 - bits;
  }

  add(text: string): void {
    fill(text, this.#seen, this.#shift);
  }

  mayHold(marks: Marks): boolean {
    for (const mark of marks) if (this.#seen[mark >>> this.#shift] === 0) return false;
    return true;
  }
}

/** A separate function without lookups in the loop, because it is most of the cost of a long command. */
function fill(text: string, seen: Uint8Array, shift: number): void {
  let run = 0;
  for (let index = 0; index < text.length; index += 1) {
    run = ((run << 7) ^ (text.charCodeAt(index) | smallLetter)) & window;
    seen[Math.imul(run, spread) >>> shift] = 1;
  }
  seen[Math.imul((run << 7) & window, spread) >>> shift] = 1;
}
