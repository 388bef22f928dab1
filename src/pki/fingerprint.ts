import { createHash, X509Certificate } from 'node:crypto';

/** SHA-256 of a certificate's DER in base64url, as in a JWT's `x5t#S256` and in the pin of an enrolment token. */
export function fingerprint(der: Uint8Array): string {
  return createHash('sha256').update(der).digest('base64url');
}

export function fingerprintOfPem(pem: string): string {
  return fingerprint(new X509Certificate(pem).raw);
}
