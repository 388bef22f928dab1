import { X509Certificate } from 'node:crypto';
import { fingerprint } from '../../src/pki/fingerprint.ts';
import { type PeerName, parsePeerName } from '../../src/pki/peer-name.ts';
import type { Authorities } from '../keys/authorities.ts';
import type { Checked } from '../ports/authentication.ts';

/** Revocations by `fingerprint` (as `src/pki` writes it) and by owner. */
export type IsRevoked = (fingerprint: string, peer: PeerName) => boolean;

export interface AcceptedCertificate {
  readonly peer: PeerName;
  readonly fingerprint: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** When its validity began, in epoch milliseconds. */
  readonly since: number;
  /** Of the authority that signs now. */
  readonly isPresent: boolean;
  /** Why it counts no more: a connection may outlive its certificate's end and its revocation. */
  readonly problem: () => string | undefined;
}

/** TLS has verified the chain, the key and the dates. */
export function acceptCertificate(
  der: Uint8Array,
  isRevoked: IsRevoked,
  signed: Authorities['signed'],
): Checked<AcceptedCertificate> {
  const certificate = new X509Certificate(der);
  const { subjectAltName, serialNumber: serial, validFromDate, validToDate } = certificate;
  const print = fingerprint(der);
  const peer = parsePeerName(subjectAltName);
  const leftMs = validToDate.getTime() - Date.now();
  if (leftMs < 0) return { refused: expired };
  if (Date.now() < validFromDate.getTime()) return { refused: 'the certificate is not valid yet' };
  if (peer === undefined) return { refused: 'the certificate names no relay and no person' };
  const { life, isPresent } = signed(certificate);
  if (life.isOver()) return { refused: stopped };
  // From here on the monotonic clock decides: a change of the wall clock ends nothing that runs.
  const until = performance.now() + leftMs;
  const problem = () => {
    if (performance.now() > until) return expired;
    if (life.hasRunOut()) return stopped;
    return isRevoked(print, peer) ? 'the certificate is revoked' : undefined;
  };
  const refused = problem();
  return refused === undefined
    ? { value: { peer, fingerprint: print, serial, since: validFromDate.getTime(), isPresent, problem } }
    : { refused };
}

const stopped = 'the certificate is of an authority that does not count any more';
const expired = 'the certificate has expired';
