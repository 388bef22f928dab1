import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAuthority } from './authority.ts';
import { makeCertificateRequest, readRequestKey } from './certificate-request.ts';
import { fingerprint, fingerprintOfPem } from './fingerprint.ts';
import { issueClientCertificate, issueServerCertificate } from './issue-certificate.ts';

const dayMs = 86_400_000;

test('a relay gets a certificate of 90 days for its own key, for TLS clients only', async () => {
  const authority = await makeAuthority('Test CA, with a comma');
  const { request, key } = await makeCertificateRequest();
  const publicKey = await readRequestKey(request);
  const issued = await issueClientCertificate(authority, { kind: 'relay', name: 'host-7' }, publicKey!);
  const certificate = new X509Certificate(issued);
  expect(certificate.subjectAltName).toBe('URI:spiffe://clawrden/relay/host-7');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  expect(certificate.verify(createPublicKey(authority.certificate))).toBe(true);
  const days = (certificate.validToDate.getTime() - Date.now()) / dayMs;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThanOrEqual(90);
});

test('a server certificate names hosts and addresses', async () => {
  const authority = await makeAuthority('Test CA');
  const server = await issueServerCertificate(authority, ['warden.example', '127.0.0.1']);
  const certificate = new X509Certificate(server.certificate);
  expect(certificate.checkHost('warden.example')).toBe('warden.example');
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkHost('other.example')).toBeUndefined();
  expect(fingerprint(certificate.raw)).toBe(fingerprintOfPem(server.certificate));
});

test('a request that its key did not sign, of another kind of key, or broken, gives no key', async () => {
  const { request } = await makeCertificateRequest();
  const der = Buffer.from(request.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64');
  der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1);
  const pem = (bytes: Buffer) =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  expect(await readRequestKey(pem(der))).toBeUndefined();
  expect(await readRequestKey(pem(rsa.export({ type: 'spki', format: 'der' })))).toBeUndefined();
  expect(await readRequestKey('')).toBeUndefined();
  expect(await readRequestKey(`${request}${' '.repeat(8192)}`)).toBeUndefined();
});
