import { X509Certificate } from 'node:crypto';
import { fingerprint } from '../../src/pki/fingerprint.ts';
import { type PeerName, parsePeerName } from '../../src/pki/peer-name.ts';
import type { Checked } from '../authentication.ts';

export interface CheckedCertificate {
  readonly peer: PeerName;
  readonly fingerprint: string;
}

/** By `fingerprint` as `src/pki` writes it. */
export type IsRevoked = (fingerprint: string) => boolean;

/**
 * What the handshake proved once may no longer be so: a connection outlives its certificate's end and its revocation.
 * The chain itself was verified by TLS.
 */
export function checkCertificate(der: Uint8Array, isRevoked: IsRevoked): Checked<CheckedCertificate> {
  const certificate = new X509Certificate(der);
  const now = Date.now();
  if (now > certificate.validToDate.getTime()) return { refused: 'the certificate has expired' };
  if (now < certificate.validFromDate.getTime()) return { refused: 'the certificate is not valid yet' };
  const print = fingerprint(der);
  if (isRevoked(print)) return { refused: 'the certificate is revoked' };
  const peer = parsePeerName(certificate.subjectAltName);
  if (peer === undefined) return { refused: 'the certificate names no relay and no operator' };
  return { value: { peer, fingerprint: print } };
}
