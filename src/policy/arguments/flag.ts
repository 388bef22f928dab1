import { smallLetters } from '../small-letters.ts';
/** `-x`, `--x`, `--x=y`; neither `-` nor `--`. */
export function isFlag(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-' && arg !== '--';
}

export function nameOf(arg: string): string {
  const equals = arg.indexOf('=');
  return equals === -1 ? arg : arg.slice(0, equals);
}

export function attachedValue(arg: string, name: string): string | undefined {
  return name.length === arg.length ? undefined : arg.slice(name.length + 1);
}

export function withoutDashes(arg: string): string {
  let at = 0;
  while (arg.charAt(at) === '-') at += 1;
  return arg.slice(at);
}

/** Digits behind one character. */
export function isNumber(arg: string): boolean {
  for (let index = 1; index < arg.length; index += 1) {
    const code = arg.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  return arg.length > 1;
}

/** The limit for the length of a rule's option, and for letters in a row. */
const longest = 260;

/** All readings of a word by an unknown tool, as keys for a lookup. */
export interface Keys {
  /** Letters in a row after one dash, each once; absent if there are too many to check. */
  readonly letters?: string;
  /** In small letters, `_` for `-`, without dashes and without the part after `=` or `:`; empty if it is not a flag. */
  readonly name: string;
}

/** A word that begins with a dash; each part is computed when it is first needed. */
export class Flag {
  readonly #word: string;
  #name: string | undefined;
  #keys: Keys | undefined;

  constructor(word: string) {
    this.#word = word;
  }

  /** As it is written, without the part after `=`. */
  get name(): string {
    this.#name ??= nameOf(this.#word);
    return this.#name;
  }

  get keys(): Keys {
    this.#keys ??= keysOf(this.#word);
    return this.#keys;
  }
}

function keysOf(given: string): Keys {
  const isDouble = given.startsWith('--');
  const begin = isDouble ? 2 : 1;
  // The value behind it may be as long as it likes.
  const bare = given.slice(begin, begin + longest + 1);
  const end = bare.search(/[=:]/);
  const name = end === -1 ? bare : bare.slice(0, end);
  const isLong = name.length > longest;
  if (isDouble) return { letters: name.length === 1 ? name : '', name: isLong ? '' : fold(name) };
  const named = { name: isLong || name.length === 1 ? '' : fold(name) };
  return given.length > longest ? named : { letters: distinct(nameOf(bare)), ...named };
}

/** A name as a tool reads it that does not distinguish `_` from `-`, or capitals from small letters. */
export function fold(name: string): string {
  return smallLetters(name).replaceAll('_', '-');
}

function distinct(letters: string): string {
  return [...new Set(letters)].join('');
}

/** `#` among the values means any digits; without values all are known. */
export function isKnownValue(values: ReadonlySet<string> | undefined, text: string): boolean {
  return values === undefined || values.has(text) || (values.has('#') && isNumber(`-${text}`));
}
