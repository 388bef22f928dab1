const bareArgument = /^[A-Za-z0-9_@%+=:,./-]+$/;
const unprintable = /[^\x20-\x7e]/gu;
/** Blanks that an eye, a row's end or a terminal may lose: more than one side by side, the first, the last. */
const losable = / {2,}|^ | $/g;
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text as printable ASCII, so that no terminal, log or page is moved by it: every control, bidi, invisible or
 * non-ASCII character shows as an escape, and every blank but a single one between two characters as `\x20{count}`.
 * Two different texts never look alike, and no two blanks are side by side.
 */
export function renderText(text: string): string {
  return escapeUnprintable(countBlanks(text.replaceAll('\\', '\\\\')));
}

/** A text in double quotes, so that it passes for nothing but a text. */
export function quoteText(text: string): string {
  return `"${renderText(text).replaceAll('"', '\\"')}"`;
}

/** A command line in one line, its arguments apart by spaces, quoted where they would not stand alone. */
export function renderArgv(argv: readonly string[]): string {
  return argv.map(renderArgument).join(' ');
}

/** One argument, or a name: bare where nothing in it could be mistaken, else quoted. */
export function renderArgument(text: string): string {
  return bareArgument.test(text) ? text : quoteText(text);
}

/** One line of bytes in whatever encoding, as printable ASCII: any other byte, and blanks at the end, show as escapes. No two look alike. */
export function renderBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replaceAll('\\', '\\\\')
    .replaceAll(
      unprintable,
      (byte) => short[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
    .replace(/(?<! ) +$/, ({ length }) => `\\x20{${length}}`);
}

/** The escapes alone: leaves what is rendered already as it is. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function countBlanks(text: string): string {
  return text.replaceAll(losable, ({ length }) => `\\x20{${length}}`);
}
