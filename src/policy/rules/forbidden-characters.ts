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
}
