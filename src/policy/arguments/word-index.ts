import { Flag, isFlag } from './flag.ts';

/** The longest word that is indexed; most is known about shorter words after reading the beginning of each. */
const longWord = 1000;

/**
 * What is known about each word of a line, found in one pass for all readers of the line, whatever their starting
 * position.
 */
export class WordIndex {
  readonly words: readonly string[];
  /** 1 for each word that is a flag, a `--`, or may be the value of the flag before it. */
  readonly mayLeaveOut: Uint8Array;
  readonly hasLongWord: boolean;
  readonly #flagsAt: number[] = [];
  /** The positions of all `--`. */
  readonly #endsAt: number[] = [];
  /** The same without those after a flag, which may be its value. */
  readonly #sureEndsAt: number[] = [];
  readonly #flags = new Map<number, Flag>();

  constructor(words: readonly string[]) {
    this.words = words;
    this.mayLeaveOut = new Uint8Array(words.length);
    let longest = 0;
    let mayBeValue = false;
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? '';
      longest = Math.max(longest, word.length);
      mayBeValue = this.#add(word, at, mayBeValue);
    }
    this.hasLongWord = longest > longWord;
  }

  /** Whether the next word may be the value of this one. */
  #add(word: string, at: number, mayBeValue: boolean): boolean {
    if (mayBeValue) this.mayLeaveOut[at] = 1;
    if (!word.startsWith('-') || word === '-') return false;
    this.mayLeaveOut[at] = 1;
    if (isFlag(word)) {
      this.#flagsAt.push(at);
      return !word.includes('=');
    }
    this.#endsAt.push(at);
    if (!mayBeValue) this.#sureEndsAt.push(at);
    return false;
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

  /** The words from there up to `end`, at most so many. */
  flags(from: number, end: number, most: number): readonly Flag[] {
    const first = this.#flagsAt.findIndex((at) => at >= from);
    if (first === -1) return [];
    const places = this.#flagsAt.slice(first, first + most);
    const before = (places.at(-1) ?? 0) < end ? places : places.filter((at) => at < end);
    return before.map((at) => this.#flagAt(at));
  }

  #flagAt(at: number): Flag {
    const known = this.#flags.get(at);
    if (known !== undefined) return known;
    const flag = new Flag(this.words[at] ?? '');
    this.#flags.set(at, flag);
    return flag;
  }
}
