const bareArgument = /^[A-Za-z0-9_@%+=:,./-]+$/;
const unprintable = /[^\x20-\x7e]/gu;
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text as printable ASCII, so that no terminal, log or page is moved by it: every control, bidi, invisible or
 * non-ASCII character shows as an escape. Two different texts never look alike.
 */
export function renderText(text: string): string {
  return escapeUnprintable(text.replaceAll('\\', '\\\\'));
}

/** A command line in one line, its arguments apart by spaces, quoted where they would not stand alone. */
export function renderArgv(argv: readonly string[]): string {
  return argv.map(renderArgument).join(' ');
}

/** One argument: bare where nothing in it could be mistaken, else in double quotes. */
export function renderArgument(text: string): string {
  return bareArgument.test(text) ? text : `"${renderText(text).replaceAll('"', '\\"')}"`;
}

/** Bytes of whatever encoding, as printable ASCII: any other byte shows as an escape. No two look alike. */
export function renderBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replaceAll('\\', '\\\\')
    .replaceAll(
      unprintable,
      (byte) => short[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}

/** The escapes alone: leaves what is rendered already as it is. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
