import { createHash, X509Certificate } from 'node:crypto';

/** SHA-256 over a certificate's DER, base64url: what a JWT's `x5t#S256` and an enrolment token's pin hold. */
export function fingerprint(der: Uint8Array): string {
  return createHash('sha256').update(der).digest('base64url');
}

export function fingerprintOfPem(pem: string): string {
  return fingerprint(new X509Certificate(pem).raw);
}
