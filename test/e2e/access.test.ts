import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientTls, openChannel } from '../../src/gateway-client/open-channel.ts';
import { unaryCall } from '../../src/gateway-client/unary-call.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type Credentials, makeAuthority } from '../../src/pki/authority.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { forgeCertificate } from '../stack/forge-certificate.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';

const policy = 'version: 1\ndefault: deny\ncomplete: true\n';
const own = 'spiffe://clawrden/relay/host-1';
const foreign = 'spiffe://clawrden/relay/another-host';
const hour = 3_600_000;
const now = () => Math.floor(Date.now() / 1000);
const period = (from: number, to: number) => ({
  notBefore: new Date(Date.now() + from),
  notAfter: new Date(Date.now() + to),
});

describe.skipIf(!hasLab())('what lets a caller in', () => {
  let stack: Stack;
  let authority: Credentials;
  let signingKey: KeyObject;
  let issuer: string;
  let relay: ClientTls;
  let fingerprint: string;
  beforeAll(async () => {
    stack = await startStack(sharedLab(), {
      name: 'access',
      policy,
      agents: { coder: {}, far: { elsewhere: true } },
    });
    const state = (name: string) => readFile(join(stack.dir, 'warden', name), 'utf8');
    authority = { certificate: await state('ca.pem'), key: await state('ca-key.pem') };
    signingKey = createPrivateKey(await state('signing-key.pem'));
    issuer = `clawrden:${(await state('gateway-id')).trim()}`;
    const identity = await readIdentity(join(stack.dir, 'relay'));
    relay = identity;
    fingerprint = fingerprintOfPem(identity.certificate.toString());
  });
  afterAll(() => stack?.stop());

  const goodClaims = (): Record<string, unknown> => ({
    ...{ iss: issuer, aud: 'clawrden', sub: 'relay:host-1', role: 'relay', jti: 'j' },
    ...{ iat: now(), nbf: now(), exp: now() + 600, cnf: { 'x5t#S256': fingerprint } },
  });
  const sign = (claims: Record<string, unknown>, header: Record<string, unknown> = {}, key = signingKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: 'clawrden-session', ...header }).sign(key);

  /** The status of an operator's call: an admitted relay has no role for it. */
  const callWith = (token: string, tls: ClientTls = relay) =>
    withClient(tls, async (client) => {
      const metadata = new Metadata();
      metadata.set('authorization', `Bearer ${token}`);
      await synchronized(client, metadata);
      const { path, requestSerialize, responseDeserialize } = WardenServiceService.listHosts;
      return new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          { pageToken: '' },
          metadata,
          (error, answer) => (error === null ? resolve(answer) : reject(error)),
        );
      });
    });
  const letIn = status.PERMISSION_DENIED;

  /** A relay's calls are answered only over a connection that synchronizes. */
  const synchronized = (client: ReturnType<typeof openChannel>, metadata: Metadata) => {
    const { path, requestSerialize, responseDeserialize } = RelayServiceService.synchronize;
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
    return new Promise((resolve, reject) => stream.once('data', resolve).on('error', reject));
  };

  const withClient = async (
    tls: ClientTls,
    call: (client: ReturnType<typeof openChannel>) => Promise<unknown>,
  ) => {
    const client = openChannel(stack.grpcAddress, tls);
    const code = await call(client).then(
      () => status.OK,
      (error: ServiceError) => error.code,
    );
    client.close();
    return code;
  };
  const tokenOver = async (tls: ClientTls) => {
    let token = '';
    const code = await withClient(tls, async (client) => {
      ({ token } = await unaryCall(client, RelayServiceService.token, {}));
    });
    return { code, token };
  };
  const tlsOf = ({ certificate, key }: Credentials): ClientTls => ({
    authority: authority.certificate,
    certificate: Buffer.from(certificate),
    key: Buffer.from(key),
  });

  test('the relay’s own token, and one made like it, are accepted', async () => {
    const { code, token } = await tokenOver(relay);
    expect(code).toBe(status.OK);
    expect(await callWith(token)).toBe(letIn);
    expect(await callWith(await sign(goodClaims()))).toBe(letIn);
  });

  test('A-51 nothing in a token says how it is to be checked, and nothing is fetched', async () => {
    let fetched = 0;
    const server = createServer((_request, response) => {
      fetched += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    const other = generateKeyPairSync('ed25519').privateKey;
    const jwk = createPublicKey(other).export({ format: 'jwk' });
    const tokens = {
      'alg none': unsigned({ alg: 'none', typ: 'clawrden-session' }, goodClaims()),
      'HS256 over the public key': withHmac(goodClaims(), createPublicKey(signingKey)),
      'another key': await sign(goodClaims(), {}, other),
      kid: await sign(goodClaims(), { kid: '../../dev/null' }),
      jku: await sign(goodClaims(), { jku: url }, other),
      x5u: await sign(goodClaims(), { x5u: url }, other),
      'jku, well signed': await sign(goodClaims(), { jku: url }),
      jwk: await sign(goodClaims(), { jwk }, other),
    };
    const codes: Record<string, unknown> = {};
    for (const [what, token] of Object.entries(tokens)) codes[what] = await callWith(token);
    const refusals = Object.keys(tokens).map((what) => [what, status.UNAUTHENTICATED]);
    expect(codes).toEqual(Object.fromEntries(refusals));
    server.close();
    expect(fetched).toBe(0);
  });

  test.each([
    ['without an end', () => ({ exp: undefined })],
    ['that ended 31 s ago', () => ({ iat: now() - 500, nbf: now() - 500, exp: now() - 31 })],
    ['that begins in 31 s', () => ({ nbf: now() + 33 })],
    ['for others', () => ({ aud: 'other' })],
    ['for us and others', () => ({ aud: ['clawrden', 'other'] })],
    ['of another issuer', () => ({ iss: 'clawrden:another' })],
    ['that lives for a day', () => ({ exp: now() + 86_400 })],
    ['of another relay', () => ({ sub: 'relay:another-host' })],
    ['of an operator', () => ({ sub: 'person:admin', role: 'admin' })],
    ['of the relay as an admin', () => ({ role: 'admin' })],
    ['bound to no certificate', () => ({ cnf: undefined })],
  ])('A-52 a token %s is refused', async (_what, change) => {
    expect(await callWith(await sign({ ...goodClaims(), ...change() }))).toBe(status.UNAUTHENTICATED);
  });

  test('A-53 the token of one relay over the certificate of another is refused, both ways', async () => {
    const other = tlsOf(await forgeCertificate({ authority, commonName: 'another-host', names: [foreign] }));
    const tokens = { own: (await tokenOver(relay)).token, other: (await tokenOver(other)).token };
    expect([await callWith(tokens.own), await callWith(tokens.other, other)]).toEqual([letIn, letIn]);
    expect(await callWith(tokens.own, other)).toBe(status.UNAUTHENTICATED);
    expect(await callWith(tokens.other)).toBe(status.UNAUTHENTICATED);
  });

  test('A-53 a token over another certificate of the same relay is refused', async () => {
    const renewed = tlsOf(await forgeCertificate({ authority, commonName: 'host-1', names: [own] }));
    expect(await callWith((await tokenOver(renewed)).token, renewed)).toBe(letIn);
    expect(await callWith((await tokenOver(relay)).token, renewed)).toBe(status.UNAUTHENTICATED);
  });

  test('A-54 no certificate is refused in the handshake', async () => {
    const nameless = { authority: authority.certificate };
    expect(await tokenOver(nameless)).toEqual({ code: status.UNAVAILABLE, token: '' });
    expect(await callWith((await tokenOver(relay)).token, nameless)).toBe(status.UNAVAILABLE);
  });

  test.each([
    ['of another authority', async () => ({ authority: await makeAuthority('Clawrden CA') })],
    ['that has expired', () => ({ period: period(-2 * hour, -hour) })],
    ['that is not valid yet', () => ({ period: period(hour, 2 * hour) })],
    ['for servers only', () => ({ usage: 'server' as const })],
  ])('A-54 a certificate %s is refused in the handshake', async (_what, change) => {
    const forged = { authority, commonName: 'host-1', names: [own] };
    expect((await tokenOver(tlsOf(await forgeCertificate(forged)))).code).toBe(status.OK);
    const bad = tlsOf(await forgeCertificate({ ...forged, ...(await change()) }));
    expect(await tokenOver(bad)).toEqual({ code: status.UNAVAILABLE, token: '' });
  });

  test('A-54 a certificate that is signed by itself is refused in the handshake', async () => {
    const self = tlsOf(await makeAuthority('host-1'));
    expect(await tokenOver(self)).toEqual({ code: status.UNAVAILABLE, token: '' });
  });

  test.each([[[own, foreign]], [[]], [['spiffe://elsewhere/relay/host-1']], [[`${own}/x`]]])(
    'A-54 a certificate with the names %j names no peer: its connection ends behind the handshake',
    async (names) => {
      const forged = tlsOf(await forgeCertificate({ authority, commonName: 'host-1', names }));
      expect(await tokenOver(forged)).toEqual({ code: status.UNAVAILABLE, token: '' });
    },
  );

  test('A-54 whose certificate it is, its common name has no say in', async () => {
    const forged = await forgeCertificate({ authority, commonName: 'host-1', names: [foreign] });
    const claims = { ...goodClaims(), cnf: { 'x5t#S256': fingerprintOfPem(forged.certificate) } };
    expect(await callWith(await sign(claims), tlsOf(forged))).toBe(status.UNAUTHENTICATED);
    expect(await callWith(await sign({ ...claims, sub: 'relay:another-host' }), tlsOf(forged))).toBe(letIn);
  });
});

function unsigned(header: object, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.`;
}

function withHmac(claims: object, key: KeyObject): string {
  const text = unsigned({ alg: 'HS256', typ: 'clawrden-session' }, claims).slice(0, -1);
  const pem = key.export({ type: 'spki', format: 'pem' });
  return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
}
