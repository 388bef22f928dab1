import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { allHosts, type HostNames, type LabNames } from './names.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const days = 24 * 3600_000;

interface Authority {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

/** One CA for the lab, a server certificate for every engine and one client certificate. Good for a week. */
export async function makeCertificates(names: LabNames): Promise<void> {
  const authority = await makeAuthority(names.id);
  const { tls } = names.agentHost;
  await mkdir(join(names.dir, 'tls'), { recursive: true });
  await writeFile(tls.ca, authority.certificate.toString('pem'));
  await issue(authority, `CN=clawrden-${names.id}-client`, [x509.ExtendedKeyUsage.clientAuth], [], tls);
  await Promise.all(allHosts(names).map((host) => issueServer(authority, host)));
}

/** The engine's own certificate and key. */
export function serverTls(host: HostNames): { cert: string; key: string } {
  return { cert: join(host.dir, 'server.pem'), key: join(host.dir, 'server.key') };
}

async function issueServer(authority: Authority, host: HostNames): Promise<void> {
  await mkdir(host.dir, { recursive: true });
  const alternatives: x509.JsonGeneralNames = [
    { type: 'ip', value: host.address },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'dns', value: host.name },
  ];
  await issue(
    authority,
    `CN=${host.name}`,
    [x509.ExtendedKeyUsage.serverAuth],
    alternatives,
    serverTls(host),
  );
}

async function makeAuthority(id: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=clawrden-${id}`,
    keys,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return { certificate, key: keys.privateKey };
}

async function issue(
  authority: Authority,
  subject: string,
  usages: x509.ExtendedKeyUsage[],
  alternatives: x509.JsonGeneralNames,
  files: { cert: string; key: string },
): Promise<void> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: authority.certificate.subject,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new x509.ExtendedKeyUsageExtension(usages),
      ...(alternatives.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternatives)] : []),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  await writeFile(files.cert, certificate.toString('pem'));
  await writeFile(files.key, x509.PemConverter.encode(key, 'PRIVATE KEY'), { mode: 0o600 });
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - days), notAfter: new Date(Date.now() + 7 * days) };
}
