import { createHash } from 'node:crypto';
import { fingerprintOfPem } from './fingerprint.ts';

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Each certificate of a PEM text. */
export function certificatesIn(pem: string): string[] {
  return pem.match(block) ?? [];
}

/** The same for texts that hold the same authorities, in any order and spelling. */
export function trustPrint(pem: string): string {
  const prints = certificatesIn(pem).map(fingerprintOfPem).sort();
  return createHash('sha256').update(prints.join(' ')).digest('base64url');
}
