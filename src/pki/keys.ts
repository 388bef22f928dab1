import { createPrivateKey, generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** The algorithm of every signature here. */
export const signing = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** A private key of EC P-256, PKCS #8 PEM. */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: algorithm.namedCurve });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export interface CryptoKeyPair {
  readonly privateKey: webcrypto.CryptoKey;
  readonly publicKey: webcrypto.CryptoKey;
}

/** A PKCS #8 PEM of EC P-256 in the form that WebCrypto takes. */
export function cryptoKeys(pem: string, publicKey: KeyObject): CryptoKeyPair {
  return {
    privateKey: createPrivateKey(pem).toCryptoKey(algorithm, false, ['sign']),
    publicKey: publicCryptoKey(publicKey),
  };
}

export function publicCryptoKey(key: KeyObject): webcrypto.CryptoKey {
  return key.toCryptoKey(algorithm, true, ['verify']);
}
