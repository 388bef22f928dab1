import { fromBase64url, jsonFromBase64url } from '../../src/text/base64url.ts';

/** Whether a token is written byte by byte as signing writes it. */
export function isStrictToken(token: string): boolean {
  const [header, claims, signature, ...more] = token.split('.');
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0)
    return false;
  return isJson(header) && isJson(claims) && fromBase64url(signature) !== undefined;
}

function isJson(part: string): boolean {
  return jsonFromBase64url(part) !== undefined;
}
