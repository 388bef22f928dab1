/**
 * Whether a token is written byte by byte as signing writes it. If a key stands twice, two readers may
 * see two different tokens, and a parser shows only one of the values. So the code writes the parsed token again and
 * compares the texts.
 */
export function isStrictToken(token: string): boolean {
  const [header, claims, signature, ...more] = token.split('.');
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0)
    return false;
  return isStrict(header) && isStrict(claims) && isCanonical(signature);
}

/** Its last character may hold bits that belong to no byte: signing writes them as 0. */
function isCanonical(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text;
}

function isStrict(part: string): boolean {
  const text = Buffer.from(part, 'base64url').toString();
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text))).toString('base64url') === part;
  } catch {
    return false;
  }
}
