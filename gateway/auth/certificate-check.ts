import { X509Certificate } from 'node:crypto';
import { fingerprint } from '../../src/pki/fingerprint.ts';
import { type PeerName, parsePeerName } from '../../src/pki/peer-name.ts';
import type { Checked } from '../authentication.ts';
import { boundedCache } from './bounded-cache.ts';

export interface CheckedCertificate {
  readonly peer: PeerName;
  readonly fingerprint: string;
}

/** By `fingerprint` as `src/pki` writes it, and whose it is. */
export type IsRevoked = (fingerprint: string, peer: PeerName | undefined) => boolean;

export type CheckCertificate = (der: Uint8Array) => Checked<CheckedCertificate>;

const maxCached = 4096;

/**
 * What the handshake proved once may no longer be so: a connection outlives its certificate's end and its revocation.
 * The chain itself was verified by TLS.
 */
export function certificateCheck(isRevoked: IsRevoked): CheckCertificate {
  const facts = boundedCache<ReturnType<typeof read>>(maxCached);
  return (der) => {
    const print = fingerprint(der);
    const { peer, notBefore, notAfter } = facts.get(print) ?? facts.add(print, read(der));
    const now = Date.now();
    if (now > notAfter) return { refused: 'the certificate has expired' };
    if (now < notBefore) return { refused: 'the certificate is not valid yet' };
    if (isRevoked(print, peer)) return { refused: 'the certificate is revoked' };
    if (peer === undefined) return { refused: 'the certificate names no relay and no operator' };
    return { value: { peer, fingerprint: print } };
  };
}

function read(der: Uint8Array) {
  const certificate = new X509Certificate(der);
  return {
    peer: parsePeerName(certificate.subjectAltName),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  };
}
