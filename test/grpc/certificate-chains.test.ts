import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { secureContextOf } from '../../gateway/grpc/front/server-credentials.ts';
import { loadNativeAddon } from '../../src/native-addon.ts';
import { type Credentials, newSerialNumber, validity } from '../../src/pki/authority.ts';
import { issueClientCertificate, issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { cryptoKeys, makeKey, signing } from '../../src/pki/keys.ts';
import { x509 } from '../../src/pki/x509.ts';

/** An authority that may issue others, issued by `by`, or by itself. */
async function makeIssuer(name: string, by?: Credentials): Promise<Credentials> {
  const { BasicConstraintsExtension, X509Certificate, X509CertificateGenerator } = await x509();
  const key = makeKey();
  const keysOf = (pem: string) => cryptoKeys(pem, createPublicKey(createPrivateKey(pem)));
  const certificate = await X509CertificateGenerator.create({
    ...{
      serialNumber: newSerialNumber(),
      subject: [{ CN: [name] }],
      ...validity(9),
      signingAlgorithm: signing,
    },
    issuer: by === undefined ? [{ CN: [name] }] : new X509Certificate(by.certificate).subjectName,
    publicKey: keysOf(key).publicKey,
    signingKey: keysOf(by?.key ?? key).privateKey,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key };
}

interface Shown extends Credentials {
  readonly trusts: string;
}

/** What each side says of the other's certificate. */
async function meet(server: Shown, client: Shown): Promise<{ client: boolean; server: boolean }> {
  const { certificate: cert, key, trusts: ca } = server;
  const listening = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const accepted = once(listening, 'secureConnection');
  const socket = connect({
    ...{ host: '127.0.0.1', port: (listening.address() as AddressInfo).port, rejectUnauthorized: false },
    ...{ cert: client.certificate, key: client.key, ca: client.trusts },
  });
  await once(socket, 'secureConnect');
  const [{ authorized }] = (await accepted) as [TLSSocket];
  const said = { client: authorized, server: socket.authorized };
  socket.destroy();
  listening.close();
  return said;
}

test('A-536 P20: of what a peer shows no certificate is looked at beyond as many as its chain may have', async () => {
  const root = await makeIssuer('root');
  const between = await makeIssuer('between', root);
  const trusts = root.certificate;
  const clientOf = async (issuer: Credentials, more = ''): Promise<Shown> => {
    const key = makeKey();
    const peer = { kind: 'relay', name: 'r' } as const;
    const certificate = await issueClientCertificate(issuer, peer, createPublicKey(createPrivateKey(key)));
    return { certificate: certificate + more, key, trusts };
  };
  const serverOf = async (issuer: Credentials, more = ''): Promise<Shown> => {
    const { certificate, key } = await issueServerCertificate(issuer, ['127.0.0.1']);
    return { certificate: certificate + more, key, trusts };
  };
  const far = {
    client: await clientOf(between, between.certificate),
    server: await serverOf(between, between.certificate),
  };
  expect(await meet(far.server, far.client)).toEqual({ client: true, server: true });
  const { boundCertificateChains } = loadNativeAddon();
  boundCertificateChains(0, 1);
  expect(await meet(far.server, far.client)).toEqual({ client: false, server: true });
  expect(await meet(far.server, await clientOf(root))).toEqual({ client: true, server: true });
  boundCertificateChains(1, 0);
  expect(await meet(far.server, far.client)).toEqual({ client: true, server: false });
  expect(await meet(await serverOf(root), far.client)).toEqual({ client: true, server: true });
  expect(() => boundCertificateChains('x' as unknown as number, 1)).toThrow('two numbers');
});

test.each([
  ['ffdhe2048', false],
  ['ffdhe3072', false],
  ['X448', false],
  ['X25519', true],
  ['P-256', true],
])(
  'A-536 P20: a key exchange by %s costs the gateway nothing but a refusal: %s',
  async (ecdhCurve, isTaken) => {
    const authority = await makeIssuer('root');
    const tls = await issueServerCertificate(authority, ['localhost']);
    const listening = createServer(secureContextOf(tls));
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, ecdhCurve, rejectUnauthorized: false });
    const outcome = await Promise.race([
      once(socket, 'secureConnect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    expect(outcome).toBe(isTaken);
    socket.destroy();
    listening.close();
  },
);
