import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, JsonGeneralName } from '@peculiar/x509';
import { type Credentials, newSerialNumber, type Validity, validity } from './authority.ts';
import { cryptoKeys, makeKey, publicCryptoKey, signing } from './keys.ts';
import { type PeerName, spiffeId } from './peer-name.ts';
import { x509 } from './x509.ts';

export const serverCertificateDays = 730;
export const relayCertificateDays = 90;
export const personCertificateDays = 365;

const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';

/** A key and a certificate for a TLS server that is reached by these host names or addresses. */
export async function issueServerCertificate(
  authority: Credentials,
  names: readonly string[],
): Promise<Credentials> {
  const key = makeKey();
  const certificate = await issue(authority, {
    commonName: names[0] ?? 'localhost',
    alternativeNames: names.map((name) => ({ type: isIP(name) === 0 ? 'dns' : 'ip', value: name })),
    usage: serverAuth,
    publicKey: createPublicKey(createPrivateKey(key)),
    ...validity(serverCertificateDays),
  });
  return { certificate, key };
}

/** A certificate (PEM) that names the holder of `publicKey` as `peer`, and is good only for a TLS client. */
export async function issueClientCertificate(
  authority: Credentials,
  peer: PeerName,
  publicKey: KeyObject,
  period: Validity = validity(peer.kind === 'relay' ? relayCertificateDays : personCertificateDays),
): Promise<string> {
  return await issue(authority, {
    commonName: peer.name,
    alternativeNames: [{ type: 'url', value: spiffeId(peer) }],
    usage: clientAuth,
    publicKey,
    ...period,
  });
}

interface EndCertificate extends Validity {
  readonly commonName: string;
  readonly alternativeNames: JsonGeneralName[];
  readonly usage: string;
  readonly publicKey: KeyObject;
}

async function issue(authority: Credentials, wanted: EndCertificate): Promise<string> {
  const { X509Certificate, X509CertificateGenerator } = await x509();
  const issuer = new X509Certificate(authority.certificate);
  const keys = cryptoKeys(authority.key, createPublicKey(authority.certificate));
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: [{ CN: [wanted.commonName] }],
    issuer: issuer.subjectName,
    notBefore: wanted.notBefore,
    notAfter: wanted.notAfter,
    signingAlgorithm: signing,
    publicKey: publicCryptoKey(wanted.publicKey),
    signingKey: keys.privateKey,
    extensions: await extensionsFor(wanted, keys.publicKey),
  });
  return `${certificate.toString('pem')}\n`;
}

async function extensionsFor(
  wanted: EndCertificate,
  authorityKey: ReturnType<typeof publicCryptoKey>,
): Promise<Extension[]> {
  const {
    AuthorityKeyIdentifierExtension,
    BasicConstraintsExtension,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectAlternativeNameExtension,
  } = await x509();
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([wanted.usage], true),
    new SubjectAlternativeNameExtension(wanted.alternativeNames),
    await AuthorityKeyIdentifierExtension.create(authorityKey),
  ];
}
