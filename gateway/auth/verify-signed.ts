import type { KeyObject } from 'node:crypto';
import { errors, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import type { SigningKeys } from '../keys/key-ring.ts';

export interface Signed extends JWTVerifyResult {
  /** The public one that verified it. */
  readonly key: KeyObject;
}

/** By any key that counts now; a token does not say which one it wants. Rejects as jose does. */
export async function verifySigned(
  token: string,
  keys: SigningKeys,
  options: JWTVerifyOptions,
): Promise<Signed> {
  let fault: unknown;
  for (const key of keys.accepted()) {
    try {
      return { ...(await jwtVerify(token, key, options)), key };
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      fault = error;
    }
  }
  throw fault;
}
