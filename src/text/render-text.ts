const bareArgument = /^[A-Za-z0-9_@%+=:,./-]+$/;
const unprintable = /[^\x20-\x7e]/gu;
/** Blanks that a reader, the end of a row or a terminal may lose: two or more side by side, the first, the last. */
const losable = / {2,}|^ | $/g;
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text as printable ASCII, so that it cannot control a terminal, log or page. Every control, bidi, invisible or
 * non-ASCII character becomes an escape. Every blank becomes `\x20{count}`, except a single one between two
 * characters. Two different texts never look alike, and no two blanks are side by side.
 */
export function renderText(text: string): string {
  return escapeUnprintable(countBlanks(text.replaceAll('\\', '\\\\')));
}

/** A text in double quotes, so that a reader cannot take it for anything else. */
export function quoteText(text: string): string {
  return `"${renderText(text).replaceAll('"', '\\"')}"`;
}

/** A command line on one line: arguments separated by spaces, quoted if a reader could mistake them. */
export function renderArgv(argv: readonly string[]): string {
  return argv.map(renderArgument).join(' ');
}

/** One argument or name: bare if a reader cannot mistake it, else quoted. */
export function renderArgument(text: string): string {
  return bareArgument.test(text) ? text : quoteText(text);
}

/**
 * One line of bytes in any encoding, as printable ASCII: other bytes, and blanks at the end, become escapes. No two
 * look alike.
 */
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

/** A path of any bytes: bare if a reader cannot mistake it for what stands beside it, else quoted. */
export function renderPath(bytes: Uint8Array): string {
  const text = renderBytes(bytes);
  return /[ "]/.test(text) ? `"${countBlanks(text).replaceAll('"', '\\"')}"` : text;
}

/** Only escapes: text that is rendered already stays as it is. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function countBlanks(text: string): string {
  return text.replaceAll(losable, ({ length }) => `\\x20{${length}}`);
}
