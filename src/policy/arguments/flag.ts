/** `-x`, `--x`, `--x=y`; neither `-` nor `--`. */
export function isFlag(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-' && arg !== '--';
}

export function nameOf(arg: string): string {
  const equals = arg.indexOf('=');
  return equals === -1 ? arg : arg.slice(0, equals);
}

/** No option of a rule is longer, nor are as many letters in a row. */
const longest = 260;

/** What a tool that we do not know may take a word for, as keys that can be looked up. */
export interface Keys {
  /** Letters in a row behind one dash, each once; absent where they are too many to be looked at. */
  readonly letters?: string;
  /** In small letters, `_` for `-`, without dashes and without the part after `=` or `:`; empty if it is not a flag. */
  readonly name: string;
}

/** A word that begins with a dash; each part is made when it is first asked for. */
export class Flag {
  readonly #word: string;
  #name: string | undefined;
  #keys: Keys | undefined;

  constructor(word: string) {
    this.#word = word;
  }

  /** As it is written, without what stands behind `=`. */
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
  if (given.length > longest) return isDouble ? { letters: '', name: '' } : { name: '' };
  const bare = given.slice(isDouble ? 2 : 1);
  const end = bare.search(/[=:]/);
  const name = end === -1 ? bare : bare.slice(0, end);
  if (isDouble) return { letters: name.length === 1 ? name : '', name: fold(name) };
  return { letters: distinct(nameOf(bare)), name: name.length === 1 ? '' : fold(name) };
}

/** As tools that do not tell `_` from `-`, and capitals from small letters, read a name. */
export function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function distinct(letters: string): string {
  return [...new Set(letters)].join('');
}
