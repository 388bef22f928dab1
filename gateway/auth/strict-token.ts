/**
 * Whether header and claims are written as signing writes them, byte by byte. Where a key stands twice two readers may
 * see two tokens, and a parser shows one of the two values; text that is written anew from what was read shows it.
 */
export function isStrictToken(token: string): boolean {
  const [header, claims, signature, ...more] = token.split('.');
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0)
    return false;
  return isStrict(header) && isStrict(claims);
}

function isStrict(part: string): boolean {
  const text = Buffer.from(part, 'base64url').toString();
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text))).toString('base64url') === part;
  } catch {
    return false;
  }
}
