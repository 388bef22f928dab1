import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAuthority } from '../../src/pki/authority.ts';
import { fingerprint } from '../../src/pki/fingerprint.ts';
import { issueClientCertificate, issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import type { PeerName } from '../../src/pki/peer-name.ts';
import { createAuthentication } from './create-authentication.ts';
import type { OperatorRole } from './gateway-identity.ts';

const authority = await makeAuthority('Test CA');
const signingKey = generateKeyPairSync('ed25519').privateKey;
const day = 86_400_000;

function authentication(operators: [string, OperatorRole][] = [], revoked: string[] = []) {
  const identity = { gatewayId: 'gw-1', signingKey, operators: new Map(operators) };
  return createAuthentication({
    identity,
    isRevoked: (print) => revoked.includes(print),
    onRevoked: () => {},
  });
}

async function certificateOf(peer: PeerName, from = -day, to = day): Promise<Buffer> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const period = { notBefore: new Date(Date.now() + from), notAfter: new Date(Date.now() + to) };
  return new X509Certificate(await issueClientCertificate(authority, peer, publicKey, period)).raw;
}

async function tokenFor(auth: ReturnType<typeof authentication>, der: Buffer): Promise<string> {
  const issued = await auth.issueToken(der);
  if ('refused' in issued) throw new Error(issued.refused);
  return issued.value.token;
}

test('a relay is who its certificate says, with a token bound to it', async () => {
  const auth = authentication();
  const der = await certificateOf({ kind: 'relay', name: 'host-7' });
  const value = { kind: 'relay', name: 'host-7', role: 'relay' };
  expect(await auth.callerOf(der, await tokenFor(auth, der))).toEqual({ value });
});

test("A-53: relay 1's token over relay 2's certificate is refused", async () => {
  const auth = authentication();
  const one = await certificateOf({ kind: 'relay', name: 'one' });
  const two = await certificateOf({ kind: 'relay', name: 'two' });
  const refused = 'the token is bound to another certificate';
  expect(await auth.callerOf(two, await tokenFor(auth, one))).toEqual({ refused });
});

test('A-54: expired, not yet valid, revoked and nameless certificates get no token and make no call', async () => {
  const good = await certificateOf({ kind: 'relay', name: 'a' });
  const server = await issueServerCertificate(authority, ['spiffe.example']);
  const auth = authentication([], [fingerprint(good)]);
  const cases = {
    expired: await certificateOf({ kind: 'relay', name: 'a' }, -2 * day, -1000),
    'not valid yet': await certificateOf({ kind: 'relay', name: 'a' }, 60_000, day),
    revoked: good,
    'names no relay': new X509Certificate(server.certificate).raw,
    'not known here': await certificateOf({ kind: 'operator', name: 'nobody' }),
  };
  for (const [why, der] of Object.entries(cases)) {
    expect(auth.peerOf(der)).toEqual({ refused: expect.stringContaining(why) });
    expect(await auth.issueToken(der)).toEqual({ refused: expect.stringContaining(why) });
    expect(await auth.callerOf(der, 'token')).toEqual({ refused: expect.stringContaining(why) });
  }
});

test("A-68: an operator's role is the gateway's record, and a token made before it changed is refused", async () => {
  const der = await certificateOf({ kind: 'operator', name: 'ann' });
  const before = authentication([['ann', 'admin']]);
  const token = await tokenFor(before, der);
  expect(await before.callerOf(der, token)).toEqual({
    value: { kind: 'operator', name: 'ann', role: 'admin' },
  });
  const refused = 'the token is for another role';
  expect(await authentication([['ann', 'viewer']]).callerOf(der, token)).toEqual({ refused });
});
