import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { cryptoKeys, makeKey, signing } from './keys.ts';
import { x509 } from './x509.ts';

const maxRequestBytes = 8192;

export interface NewRequest {
  /** PKCS #10, PEM. */
  readonly request: string;
  /** The private key that stays where it was made, PEM. */
  readonly key: string;
}

export async function makeCertificateRequest(key = makeKey()): Promise<NewRequest> {
  const { Pkcs10CertificateRequestGenerator } = await x509();
  const keys = cryptoKeys(key, createPublicKey(createPrivateKey(key)));
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=clawrden',
    keys,
    signingAlgorithm: signing,
  });
  return { request: request.toString('pem'), key };
}

/**
 * The public key of a request, if its maker holds the private key. Ignores everything else in the request.
 * `undefined` if the request cannot be read, is not signed by that key, or the key is not EC P-256.
 */
export async function readRequestKey(pem: string): Promise<KeyObject | undefined> {
  if (pem.length > maxRequestBytes) return undefined;
  const { Pkcs10CertificateRequest } = await x509();
  try {
    const request = new Pkcs10CertificateRequest(pem);
    const key = createPublicKey({
      key: Buffer.from(request.publicKey.rawData),
      format: 'der',
      type: 'spki',
    });
    const suits = key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return suits && (await request.verify()) ? key : undefined;
  } catch {
    return undefined;
  }
}
