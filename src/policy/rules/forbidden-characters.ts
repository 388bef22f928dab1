/** Whether a text contains one of the characters. Takes time in proportion to the texts. */
export function hasAnyOf(characters: string, texts: readonly string[]): boolean {
  const escaped = Array.from(characters, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  const anyOfThem = new RegExp(`[${escaped.join('')}]`, 'u');
  return texts.some((text) => anyOfThem.test(text));
}
