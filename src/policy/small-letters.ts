/**
 * Letters that are a letter of ASCII to a program that does not distinguish capitals. Languages differ: for Go a
 * capital I with a dot is an `i` in small letters, for JavaScript it is two characters.
 */
const foreign: Readonly<Record<string, string>> = {
  '\u0130': 'i',
  '\u0131': 'i',
  '\u017F': 's',
  '\u212A': 'k',
};

const foreignLetter = /[\u0130\u0131\u017F\u212A]\u0307?/g;

/** In small letters, as whatever tool reads a text in any case: one that any of them takes for a letter is that letter. */
export function smallLetters(text: string): string {
  // Nearly every word has none, and to replace none takes several times as long as to look.
  if (text.search(foreignLetter) === -1) return text.toLowerCase();
  return text.replaceAll(foreignLetter, (letter) => foreign[letter.charAt(0)] ?? letter).toLowerCase();
}
