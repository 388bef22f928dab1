import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import type { X509CertificateCreateParamsName } from '@peculiar/x509';
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
  const key = makeKey();
  return { certificate: await selfSigned(key, [{ CN: [name] }], validity(authorityDays)), key };
}

/** Another certificate of the same authority: who holds this one in place of its own trusts it until `end` at most. */
export async function endingAuthority({ certificate, key }: Credentials, end: Date): Promise<string> {
  const { X509Certificate } = await x509();
  const { subjectName, notBefore, notAfter } = new X509Certificate(certificate);
  return await selfSigned(key, subjectName, { notBefore, notAfter: end < notAfter ? end : notAfter });
}

async function selfSigned(
  key: string,
  name: X509CertificateCreateParamsName,
  period: Validity,
): Promise<string> {
  const {
    BasicConstraintsExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectKeyIdentifierExtension,
    X509CertificateGenerator,
  } = await x509();
  const keys = cryptoKeys(key, createPublicKey(createPrivateKey(key)));
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name,
    ...period,
    signingAlgorithm: signing,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
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
