import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { fromBase64url, toBase64url } from '../text/base64url.ts';
import { linkHash } from './chain.ts';

/** The `type` of the record that names the next signing key. */
export const handOverType = 'signing-key';

/** What such a record says of the keys: public ones, as `keyText` writes them. */
export interface HandOver {
  /** Signs the heads of all later records. */
  readonly key: string;
  /** Signed those of all earlier ones. */
  readonly former: string;
}

/** Ed25519, of both keys, over the whole record without the two. */
export interface HandOverSignatures {
  readonly signature: string;
  readonly accepted: string;
}

/** A public key, or the public half of a private one: SPKI in base64url. */
export function keyText(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return toBase64url(half.export({ type: 'spki', format: 'der' }));
}

export function keyOfText(text: unknown): KeyObject | undefined {
  const der = typeof text === 'string' ? fromBase64url(text) : undefined;
  if (der === undefined) return undefined;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** `body`: the record, without signatures and hash. Both keys are private. */
export function signHandOver(body: object, former: KeyObject, next: KeyObject): HandOverSignatures {
  const [signature, accepted] = [former, next].map((key) => toBase64url(sign(null, signedText(body), key)));
  return { signature: signature ?? '', accepted: accepted ?? '' };
}

/**
 * The key that this record (with its signatures, without its hash) names, if the key that signed before it says so,
 * and the named one, too. `present` is that earlier key; undefined if only the record can tell which one it is.
 */
export function keyHandedOverTo(
  record: Readonly<Record<string, unknown>>,
  present: string | undefined,
): string | undefined {
  const { signature, accepted, ...body } = record;
  const { key, former } = body;
  if (typeof key !== 'string' || key === former || (present !== undefined && former !== present))
    return undefined;
  const isGood = isSigned(body, signature, former) && isSigned(body, accepted, key);
  return isGood ? key : undefined;
}

function isSigned(body: object, signature: unknown, keyAsText: unknown): boolean {
  const key = keyOfText(keyAsText);
  const bytes = typeof signature === 'string' ? fromBase64url(signature) : undefined;
  return key !== undefined && bytes !== undefined && verify(null, signedText(body), key, bytes);
}

/** No head's signature is one of these: a head signs a hash alone. */
function signedText(body: object): Buffer {
  return Buffer.from(`clawrden ${handOverType} ${linkHash(body)}`);
}
