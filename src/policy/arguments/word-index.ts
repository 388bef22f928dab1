import { Flag } from './flag.ts';

/** The longest word that is indexed; most is known about shorter words after reading the beginning of each. */
const longWord = 1000;
const dash = 0x2d;

interface FlagRun {
  readonly first: number;
  readonly end: number;
  readonly most: number;
  readonly found: readonly Flag[];
}

/**
 * What is known about each word of a line, found in one pass for all readers of the line, whatever their starting
 * position.
 */
export class WordIndex {
  readonly words: readonly string[];
  /** 1 for each word that is a flag, a `--`, or may be the value of the flag before it. */
  readonly mayLeaveOut: Uint8Array;
  readonly #isFlag: Uint8Array;
  /** The positions of all `--`. */
  readonly #endsAt: number[] = [];
  /** The same without those after a flag, which may be its value. */
  readonly #sureEndsAt: number[] = [];
  readonly #flags = new Map<number, Flag>();
  #lastFlags: FlagRun | undefined;
  #longest = 0;

  /** Nothing is known before each word was added. */
  constructor(words: readonly string[]) {
    this.words = words;
    this.mayLeaveOut = new Uint8Array(words.length);
    this.#isFlag = new Uint8Array(words.length);
  }

  /** The word at that position; in their order. */
  add(word: string, at: number): void {
    if (word.length > this.#longest) this.#longest = word.length;
    if (word.charCodeAt(0) === dash && word !== '-') this.#addDashed(word, at);
    else if (this.#mayBeValue(at)) this.mayLeaveOut[at] = 1;
  }

  #addDashed(word: string, at: number): void {
    this.mayLeaveOut[at] = 1;
    if (word !== '--') {
      this.#isFlag[at] = 1;
      return;
    }
    this.#endsAt.push(at);
    if (!this.#mayBeValue(at)) this.#sureEndsAt.push(at);
  }

  /** Of the flag before it. */
  #mayBeValue(at: number): boolean {
    return this.#isFlag[at - 1] === 1 && this.words[at - 1]?.includes('=') === false;
  }

  get hasLongWord(): boolean {
    return this.#longest > longWord;
  }

  /** Where the flags end for a reader that starts there: at the first `--`, else after the last word. */
  endOfFlags(from: number): number {
    return this.#endsAt.find((at) => at >= from) ?? this.words.length;
  }

  /**
   * The same for a rule that must not be evaded: a `--` directly after a flag may be that flag's value, and then ends
   * nothing.
   */
  latestEndOfFlags(from: number): number {
    if (this.words[from] === '--') return from;
    return this.#sureEndsAt.find((at) => at >= from) ?? this.words.length;
  }

  /** The words from there up to `end`, at most so many; the same list again for a line inside that has the same. */
  flags(from: number, end: number, most: number): readonly Flag[] {
    const first = this.#isFlag.indexOf(1, from);
    const last = this.#lastFlags;
    if (last?.first === first && last.end === end && last.most === most) return last.found;
    const found: Flag[] = [];
    for (let at = first; at !== -1 && at < end && found.length < most; at = this.#isFlag.indexOf(1, at + 1))
      found.push(this.#flagAt(at));
    this.#lastFlags = { first, end, most, found };
    return found;
  }

  #flagAt(at: number): Flag {
    const known = this.#flags.get(at);
    if (known !== undefined) return known;
    const flag = new Flag(this.words[at] ?? '');
    this.#flags.set(at, flag);
    return flag;
  }
}
