/** Bytes, or the UTF-8 of a text, in base64url without padding. */
export function toBase64url(bytes: Uint8Array | string): string {
  return Buffer.from(bytes).toString('base64url');
}

/**
 * The bytes that `toBase64url` writes as `text`; `undefined` for every other text. Node reads many texts as the same
 * bytes: it skips foreign characters and padding, and ignores the bits of the last character that belong to no byte.
 */
export function fromBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/**
 * The value that JSON.stringify and `toBase64url` write as `text`; `undefined` for every other text. If a key stands
 * twice, two readers may see two different values, and a parser shows only one of them.
 */
export function jsonFromBase64url(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return toBase64url(JSON.stringify(value)) === text ? { value } : undefined;
  } catch {
    return undefined;
  }
}
