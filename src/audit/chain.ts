import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../plan.ts';

/** What the first record of a log has for `prev`. */
export const firstLink = '0'.repeat(64);

/** The link of one record: SHA-256 of its canonical JSON without `hash`. */
export function linkHash(body: object): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}

/** An Ed25519 signature over the link before a `head` record: it vouches for everything up to there. */
export function signLink(link: string, key: KeyObject): string {
  return sign(null, Buffer.from(link), key).toString('base64url');
}

export function isSignatureOf(link: string, signature: string, key: KeyObject): boolean {
  return verify(null, Buffer.from(link), key, Buffer.from(signature, 'base64url'));
}
