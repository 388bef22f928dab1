import { codePointOf } from '../../text/code-point.ts';

/** Finds texts that contain one of some characters. */
export class ForbiddenCharacters {
  readonly #anyOfThem: RegExp | undefined;

  constructor(characters: string) {
    const escaped = Array.from(characters, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
    if (escaped.length > 0) this.#anyOfThem = new RegExp(`[${escaped.join('')}]`, 'u');
  }

  isIn(text: string): boolean {
    return this.#anyOfThem !== undefined && this.#anyOfThem.test(text);
  }

  /** The first that is in it, with a name that a terminal shows; empty if there is none. */
  nameOfFirstIn(text: string): string {
    const found = this.#anyOfThem?.exec(text)?.[0];
    return found === undefined ? '' : nameOf(found);
  }
}

const names: Readonly<Record<string, string>> = {
  '\0': 'NUL',
  '\t': 'a tab',
  '\n': 'a line break',
  '\r': 'a line break',
  ' ': 'a space',
};

function nameOf(character: string): string {
  const code = codePointOf(character);
  const name = names[character] ?? (/^[!-~]$/.test(character) ? character : undefined);
  return name === undefined ? code : `${name} (${code})`;
}
