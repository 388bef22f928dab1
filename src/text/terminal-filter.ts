/**
 * What a tool wrote, as a terminal may have it: text, colours, and movements of the cursor. Nothing else passes: no
 * title, clipboard, link, mode, character set, reset or question that the terminal answers as if somebody typed. What
 * passes is whole and in a form of ours, wherever the text is cut.
 */
export interface TerminalFilter {
  readonly next: (text: string) => string;
  /** At the end of the text, or before a gap in it: what was begun is left out. */
  readonly end: () => void;
  /** How many sequences were left out so far. */
  readonly left: () => number;
}

/** Back to plain letters, whatever colours were in force. */
export const plainLetters = '\u001b[0m';

type State = 'ground' | 'escape' | 'charset' | 'control' | 'string';

/** Of a sequence; what is longer is left out. */
const longest = 64;
/** A title or a link may be so long; what comes behind that is text again. */
const longestString = 4096;
/** Of a movement: as much as a screen has, since a terminal works for each step. */
const most = 500;
/** Lines that are inserted, deleted or scrolled: each costs a terminal more than a step of the cursor. */
const mostLines = 100;
const moveLines = new Set('LMST');

/** Cursor up, down, right, left, next and previous line, column, place, row; erase; insert and delete; scroll. */
const movements = new Set('ABCDEFGHdfJKPX@LMST');
/** Save and restore the cursor, next line, index, reverse index. */
const plainEscapes = new Set('78DEM');
const passing = new Set('\t\n\r\b');
/** Left-to-right marks and overrides, which change the order of what was written before and behind them. */
const bidi = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
/** Blanks without a width and other ends of lines: nobody sees them, and no script needs them, unlike joiners. */
const invisible = '\\u00ad\\u180e\\u200b\\u2028\\u2029\\u2060-\\u2064\\ufeff';
const told = new RegExp(`[${bidi}${invisible}]`);

/** So many that take no room may stand on one letter: a terminal keeps them all with it, and works through them for each. */
const mostMarks = 16;
/** Marks, what nobody sees, and the vowels and ends of syllables of Hangul. */
const marks = /[\p{M}\p{Cf}\u1160-\u11ff]+/gu;

const escape = '\u001b';

export function createTerminalFilter(): TerminalFilter {
  const filter = new Filter();
  return { next: (text) => filter.next(text), end: () => filter.end(), left: () => filter.left };
}

class Filter {
  left = 0;
  readonly #special = new RegExp(`[^\\x20-\\x7e\\xa0-\\uffff]|${told.source}`, 'g');
  #state: State = 'ground';
  #held = '';
  #length = 0;
  /** At the end of what passed. */
  #marks = 0;

  next(text: string): string {
    return this.#withFewMarks(this.#passing(text));
  }

  #withFewMarks(text: string): string {
    let ending = text === '' ? this.#marks : 0;
    const kept = text.replaceAll(marks, (run, at: number) => {
      const all = Array.from(run);
      const before = at === 0 ? this.#marks : 0;
      const some = all.slice(0, Math.max(0, mostMarks - before));
      if (some.length < all.length) this.left += 1;
      if (at + run.length === text.length) ending = before + some.length;
      return some.join('');
    });
    this.#marks = ending;
    return kept;
  }

  #passing(text: string): string {
    let out = '';
    for (let at = 0; at < text.length; at += 1) {
      const plain = this.#state === 'ground' ? this.#plainFrom(text, at) : '';
      out += plain;
      at += plain.length;
      if (at < text.length) out += this.#step(text[at] ?? '');
    }
    return out;
  }

  end(): void {
    if (this.#state !== 'ground') this.#leaveOut();
  }

  #plainFrom(text: string, at: number): string {
    this.#special.lastIndex = at;
    return text.slice(at, this.#special.exec(text)?.index);
  }

  #step(character: string): string {
    switch (this.#state) {
      case 'ground':
        return this.#ground(character);
      case 'escape':
        return this.#afterEscape(character);
      case 'charset':
        return this.#inCharset(character);
      case 'control':
        return this.#inControl(character);
      case 'string':
        return this.#inString(character);
    }
  }

  #enter(next: State): void {
    this.#state = next;
    this.#held = '';
    this.#length = 0;
  }

  #leaveOut(): void {
    this.left += 1;
    this.#enter('ground');
  }

  #ground(character: string): string {
    const code = character.charCodeAt(0);
    if (character === escape) this.#enter('escape');
    else if (code === 0x9b) this.#enter('control');
    else if (isStringBegin(code)) this.#enter('string');
    else if (code === 0x0b || code === 0x0c) return '\n';
    else if (code < 0x20 && passing.has(character)) return character;
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) this.left += 1;
    else if (told.test(character)) return `\\u{${code.toString(16)}}`;
    else return character;
    return '';
  }

  #afterEscape(character: string): string {
    const code = character.charCodeAt(0);
    if (character === '[') this.#enter('control');
    // The end of a string.
    else if (character === '\\') this.#enter('ground');
    else if (isStringBegin(code + 0x40)) this.#enter('string');
    else if (code >= 0x20 && code < 0x30) this.#state = 'charset';
    else if (plainEscapes.has(character)) return this.#passed(escape + character);
    else return this.#broken(character, code >= 0x30 && code < 0x7f);
    return '';
  }

  /** Behind the first of a sequence with more than two characters: its last one ends it. */
  #inCharset(character: string): string {
    const code = character.charCodeAt(0);
    this.#length += 1;
    if (code >= 0x20 && code < 0x30 && this.#length < longest) return '';
    return this.#broken(character, code >= 0x30 && code < 0x7f);
  }

  #inControl(character: string): string {
    const code = character.charCodeAt(0);
    if (code >= 0x20 && code < 0x40) {
      if (this.#held.length >= longest) this.#leaveOut();
      else this.#held += character;
      return '';
    }
    const sequence = code < 0x7f && code >= 0x40 ? controlOf(this.#held, character) : undefined;
    if (sequence !== undefined) return this.#passed(sequence);
    return this.#broken(character, code >= 0x40 && code < 0x7f);
  }

  #inString(character: string): string {
    const code = character.charCodeAt(0);
    this.#length += 1;
    // A line's end ends it, too, so that nobody can hide all the rest in a title.
    if (character === '\n' || character === escape) return this.#broken(character, false);
    const isEnd = code === 0x07 || code === 0x18 || code === 0x1a || code === 0x9c;
    if (isEnd || this.#length > longestString) this.#leaveOut();
    return '';
  }

  #passed(sequence: string): string {
    this.#enter('ground');
    return sequence;
  }

  /** The sequence is left out; a character that is no part of it counts by itself. */
  #broken(character: string, isPart: boolean): string {
    this.#leaveOut();
    return isPart ? '' : this.#ground(character);
  }
}

/** DCS, SOS, OSC, PM and APC. */
function isStringBegin(code: number): boolean {
  return code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f;
}

/** By what stands behind the one that begins it: of a table, or of red, green and blue. */
const colorWidths: ReadonlyMap<number, number> = new Map([
  [5, 3],
  [2, 5],
]);

function controlOf(parameters: string, last: string): string | undefined {
  if (last === 'm') return /^[0-9;:]*$/.test(parameters) ? lettersOf(parameters) : undefined;
  if (!movements.has(last) || !/^[0-9;]*$/.test(parameters)) return undefined;
  const limit = moveLines.has(last) ? mostLines : most;
  const bounded = parameters.replaceAll(/[0-9]+/g, (number) => `${Math.min(Number(number), limit)}`);
  return `${escape}[${bounded}${last}`;
}

/**
 * Without the one that hides what is written (8); in a colour it is a number like others. Colours of underlines (58) are
 * left out, because a terminal that does not know them takes their numbers for others; so are broken colours,
 * because they would take what comes behind them for their own.
 */
function lettersOf(parameters: string): string | undefined {
  const [all, kept] = [parameters.split(';'), [] as string[]];
  for (let at = 0; at < all.length; at += 1) {
    const one = all[at] ?? '';
    const number = Number(one.split(':', 1)[0]);
    const isColor = [38, 48, 58].includes(number) && !one.includes(':');
    const width = isColor ? (colorWidths.get(Number(all[at + 1])) ?? 1) : 1;
    const isWhole = !isColor || (width > 1 && at + width <= all.length);
    if (isWhole && number !== 8 && number !== 58) kept.push(...all.slice(at, at + width));
    at += width - 1;
  }
  return kept.length === 0 ? undefined : `${escape}[${kept.join(';')}m`;
}
