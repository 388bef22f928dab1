/**
 * The position of the last text that contains one of the characters, -1 if there is none. Takes time in proportion to
 * the texts.
 */
export function lastWithAnyOf(characters: string, texts: readonly string[]): number {
  const escaped = Array.from(characters, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  const anyOfThem = new RegExp(`[${escaped.join('')}]`, 'u');
  return texts.findLastIndex((text) => anyOfThem.test(text));
}
