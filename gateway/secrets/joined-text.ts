const [tab, lineFeed, carriageReturn, blank, backslash, letterU] = [0x09, 0x0a, 0x0d, 0x20, 0x5c, 0x75];

/** Where joining goes on. */
export interface JoinState {
  readonly at: number;
  readonly isBehindBreak: boolean;
}

/** What a form is in a joined text, whatever stands before it there. */
export function joinedForm(form: string): string {
  return form.replace(/^[\t ]+|[\r\n][\t\r\n ]*/g, '');
}

/**
 * A text without its line breaks, with the blanks behind them, and with the characters that JSON's escapes stand for:
 * programs put breaks and escapes wherever they like.
 */
export class JoinedText {
  readonly #text: Buffer;
  readonly #bytes: Buffer;
  /** Of each byte, where in the text the character begins that it is of. */
  readonly #starts: Uint32Array;
  #length = 0;
  #state: JoinState;

  constructor(text: Buffer, state: JoinState) {
    this.#text = text;
    this.#bytes = Buffer.allocUnsafe(text.length);
    this.#starts = new Uint32Array(text.length);
    this.#state = state;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Reads the characters that begin before `until`, but for an escape that has not come to its end. */
  readTo(until: number): JoinState {
    const text = this.#text;
    let { at, isBehindBreak } = this.#state;
    while (at < until) {
      while (isBehindBreak && at < until && (text[at] === blank || text[at] === tab)) at += 1;
      const end = this.#takePlain(at, until);
      isBehindBreak &&= end === at;
      at = end;
      if (at === until) break;
      const size = sizeAt(text, at);
      if (size === 0) break;
      const code = size === 1 ? (text[at] ?? 0) : codeAt(text, at, size);
      if (code === lineFeed || code === carriageReturn) isBehindBreak = true;
      else if (!isBehindBreak || (code !== blank && code !== tab)) {
        const length = this.#length + writeCode(this.#bytes, this.#length, code);
        for (; this.#length < length; this.#length += 1) this.#starts[this.#length] = at;
        isBehindBreak = false;
      }
      at += size;
    }
    this.#state = { at, isBehindBreak };
    return this.#state;
  }

  /** Where in the text so many bytes of the joined one stand. */
  placeOf({ at, length }: { readonly at: number; readonly length: number }): {
    readonly start: number;
    readonly end: number;
  } {
    const [start = 0, last = 0] = [this.#starts[at], this.#starts[at + length - 1]];
    return { start, end: last + sizeAt(this.#text, last) };
  }

  /** Up to where the bytes are taken as they are. */
  #takePlain(from: number, until: number): number {
    const [text, bytes, starts] = [this.#text, this.#bytes, this.#starts];
    let [at, length] = [from, this.#length];
    for (; at < until; at += 1, length += 1) {
      const byte = text[at] ?? 0;
      if (isApart[byte] === 1) break;
      bytes[length] = byte;
      starts[length] = at;
    }
    this.#length = length;
    return at;
  }
}

const shortEscapes = new Uint8Array(256);
for (const sign of '"\\/bfnrt')
  shortEscapes[sign.charCodeAt(0)] = (JSON.parse(`"\\${sign}"`) as string).charCodeAt(0);

/** Bytes that are not taken as they are. */
const isApart = new Uint8Array(256);
for (const byte of [lineFeed, carriageReturn, backslash]) isApart[byte] = 1;

/** How many bytes the character at this place is written with; 0 if the text ends before that is known. */
function sizeAt(text: Buffer, at: number): number {
  if (text[at] !== backslash) return 1;
  const sign = text[at + 1];
  if (sign === undefined) return 0;
  if (sign !== letterU) return shortEscapes[sign] === 0 ? 1 : 2;
  if (at + 6 > text.length) return 0;
  const unit = unitAt(text, at);
  if (unit === -1) return 1;
  if (unit < 0xd800 || unit > 0xdbff) return 6;
  // Half of a character outside of the first plane.
  if (at + 12 > text.length) return 0;
  const low = unitAt(text, at + 6);
  return low >= 0xdc00 && low <= 0xdfff ? 12 : 6;
}

/** `size`: of more than one byte. */
function codeAt(text: Buffer, at: number, size: number): number {
  if (size === 2) return shortEscapes[text[at + 1] ?? 0] ?? 0;
  const unit = unitAt(text, at);
  return size === 6 ? unit : 0x10000 + ((unit - 0xd800) << 10) + (unitAt(text, at + 6) - 0xdc00);
}

/** The unit of UTF-16 that `\u` and four digits stand for; -1 if that does not stand there. */
function unitAt(text: Buffer, at: number): number {
  if (text[at] !== backslash || text[at + 1] !== letterU) return -1;
  let unit = 0;
  for (let place = at + 2; place < at + 6; place += 1) {
    const digit = digitOf(text[place] ?? 0);
    if (digit === -1) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

/** In UTF-8; answers with how many bytes these are. */
function writeCode(bytes: Buffer, at: number, code: number): number {
  if (code >= 0x800) return bytes.write(String.fromCodePoint(code), at);
  if (code >= 0x80) return bytes.writeUInt16BE(0xc080 | ((code & 0x7c0) << 2) | (code & 0x3f), at) - at;
  bytes[at] = code;
  return 1;
}
