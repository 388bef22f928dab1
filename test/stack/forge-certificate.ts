import 'reflect-metadata';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import {
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type Credentials, newSerialNumber, type Validity, validity } from '../../src/pki/authority.ts';
import { cryptoKeys, makeKey, publicCryptoKey, signing } from '../../src/pki/keys.ts';

export interface Forgery {
  readonly authority: Credentials;
  readonly commonName: string;
  /** URIs. */
  readonly names: readonly string[];
  readonly usage?: 'client' | 'server';
  readonly period?: Validity;
}

const usages = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

/** A certificate with a new key and any content, whether the product would issue it or not. */
export async function forgeCertificate({
  authority,
  commonName,
  names,
  usage = 'client',
  period = validity(1),
}: Forgery): Promise<Credentials> {
  const key = makeKey();
  const issuerKey = createPublicKey(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: [{ CN: [commonName] }],
    issuer: new X509Certificate(authority.certificate).subjectName,
    ...period,
    signingAlgorithm: signing,
    publicKey: publicCryptoKey(createPublicKey(createPrivateKey(key))),
    signingKey: cryptoKeys(authority.key, issuerKey).privateKey,
    extensions: [
      new ExtendedKeyUsageExtension([usages[usage]], true),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'url', value }))),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key };
}
