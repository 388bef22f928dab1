import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignatureOf, signLink } from './chain.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const key = createPublicKey(privateKey);
const link = 'ab'.repeat(32);

test('P25: a signature is read as it was written and in no other way', () => {
  const signature = signLink(link, privateKey);
  expect(isSignatureOf(link, signature, key)).toBe(true);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const lasts = [...alphabet]
    .map((last) => signature.slice(0, -1) + last)
    .filter((text) => text !== signature);
  const loose = [`${signature}=`, `${signature}==`, ` ${signature}`, `${signature}\n`, `${signature}A`];
  const others = [...lasts, ...loose, '', signature.slice(1)];
  expect(others.filter((text) => isSignatureOf(link, text, key))).toEqual([]);
});
