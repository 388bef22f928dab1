import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { cryptoKeys, makeKey, signing } from './keys.ts';
import { x509 } from './x509.ts';

/** PEM, both. */
export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

const dayMs = 86_400_000;
const clockSkewMs = 300_000;
export const authorityDays = 3650;

/** A new certificate authority that may issue end certificates only. */
export async function makeAuthority(name: string): Promise<Credentials> {
  const {
    BasicConstraintsExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectKeyIdentifierExtension,
    X509CertificateGenerator,
  } = await x509();
  const key = makeKey();
  const keys = cryptoKeys(key, createPublicKey(createPrivateKey(key)));
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: [{ CN: [name] }],
    ...validity(authorityDays),
    signingAlgorithm: signing,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key };
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Valid from five minutes ago, so that a peer with a clock slightly behind accepts it. */
export function validity(days: number, now: number = Date.now()): Validity {
  return { notBefore: new Date(now - clockSkewMs), notAfter: new Date(now + days * dayMs) };
}

/** 127 random bits in hex: never negative, never zero. */
export function newSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0);
  return bytes.toString('hex');
}
