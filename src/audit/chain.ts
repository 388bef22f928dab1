import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../plan.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';

/** `prev` of the first record of a log. */
export const firstLink = '0'.repeat(64);

/** What the next record needs to know of a record. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first record. */
export const beginning: Link = { seq: 0, hash: firstLink };

/** The link of one record: SHA-256 of its canonical JSON without `hash`. */
export function linkHash(body: object): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}

/** The link of a line of the log; undefined if the line is not a record. */
export function linkOf(line: string): Link | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return undefined;
    const { seq, hash } = value as Record<string, unknown>;
    if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return undefined;
    return typeof hash === 'string' ? { seq, hash } : undefined;
  } catch {
    return undefined;
  }
}

/** The same, and undefined if the record is not what its hash says. */
export function verifiedLink(line: string): Link | undefined {
  const link = linkOf(line);
  if (link === undefined) return undefined;
  const { hash, ...body } = JSON.parse(line) as Record<string, unknown>;
  return linkHash(body) === hash ? link : undefined;
}

/** An Ed25519 signature over the link before a `head` record. It covers all records up to there. */
export function signLink(link: string, key: KeyObject): string {
  return toBase64url(sign(null, Buffer.from(link), key));
}

export function isSignatureOf(link: string, signature: string, key: KeyObject): boolean {
  const bytes = fromBase64url(signature);
  return bytes !== undefined && verify(null, Buffer.from(link), key, bytes);
}
