import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAuthority } from '../../src/pki/authority.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { readEnrolmentPin } from '../../src/pki/enrolment-pin.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { createEnrolment, type EnrolmentOptions } from './create-enrolment.ts';
import { createSessionTokens } from './session-token.ts';

const authority = await makeAuthority('Test CA');
const signingKey = generateKeyPairSync('ed25519').privateKey;
const identity = { gatewayId: 'gw-1', signingKey, authority };
const { request } = await makeCertificateRequest();

const neverRevoked = { revokedAt: () => undefined, issued: async () => {} };

function enrolment(
  agents: Record<string, string[]> = { 'host-7': ['coder', 'tester'] },
  more: Partial<EnrolmentOptions> = {},
) {
  const spent = new Set<string>();
  return createEnrolment({
    identity,
    agentsOf: (relay) => agents[relay] ?? [],
    spend: async (id) => !spent.has(id) && spent.add(id) !== undefined,
    ...neverRevoked,
    ...more,
  });
}

async function newToken(from = enrolment(), ttl = 0): Promise<string> {
  const made = await from.createToken('host-7', ['coder'], ttl);
  if ('refused' in made) throw new Error(made.refused);
  return made.value.token;
}

test('a token turns a request into a certificate for its relay, once', async () => {
  const gateway = enrolment();
  const token = await newToken(gateway);
  expect(readEnrolmentPin(token)).toBe(fingerprintOfPem(authority.certificate));
  const first = await gateway.enroll(token, request);
  if ('refused' in first) throw new Error(first.refused);
  expect(first.value).toMatchObject({ relay: 'host-7', agents: ['coder'], authority: authority.certificate });
  const certificate = new X509Certificate(first.value.certificate);
  expect(certificate.subjectAltName).toBe('URI:spiffe://clawrden/relay/host-7');
  expect(await gateway.enroll(token, request)).toEqual({ refused: 'the token was used before' });
});

test('a request that cannot be signed does not cost the token', async () => {
  const gateway = enrolment();
  const token = await newToken(gateway);
  expect(await gateway.enroll(token, 'nonsense')).toEqual({
    refused: 'the certificate request is not one of an EC P-256 key',
  });
  expect(await gateway.enroll(token, request)).toHaveProperty('value');
});

test('relays and agents that gateway.yaml does not bind are refused, when the token is made and when it is used', async () => {
  const gateway = enrolment();
  expect(await gateway.createToken('host-8', ['coder'], 0)).toHaveProperty('refused');
  expect(await gateway.createToken('host-7', ['other'], 0)).toHaveProperty('refused');
  expect(await gateway.createToken('host-7', [], 0)).toHaveProperty('refused');
  expect(await gateway.createToken('host-7', ['coder'], 8 * 86_400)).toHaveProperty('refused');
  const moved = enrolment({ 'host-8': ['coder'] });
  expect(await moved.enroll(await newToken(), request)).toEqual({
    refused: 'no agent in gateway.yaml has the relay host-7',
  });
});

test('a token that is older than the revocation of its relay enrols nobody; a newer one does, and is told of', async () => {
  const revocations: number[] = [];
  const issued: string[] = [];
  const gateway = enrolment(undefined, {
    revokedAt: () => revocations.at(-1),
    issued: async (fingerprint, relay) => void issued.push(`${relay} ${fingerprint}`),
  });
  const old = await newToken(gateway);
  revocations.push(Date.now());
  expect(await gateway.enroll(old, request)).toEqual({
    refused: 'the token is older than the revocation of the relay host-7',
  });
  const enrolled = await gateway.enroll(await newToken(gateway), request);
  if ('refused' in enrolled) throw new Error(enrolled.refused);
  expect(issued).toEqual([`host-7 ${fingerprintOfPem(enrolled.value.certificate)}`]);
});

test('A-51: a token of another gateway, another kind, or none at all enrols nobody', async () => {
  const gateway = enrolment();
  const otherKey = generateKeyPairSync('ed25519').privateKey;
  const other = createEnrolment({
    identity: { ...identity, signingKey: otherKey },
    agentsOf: () => ['coder'],
    spend: async () => true,
    ...neverRevoked,
  });
  const caller = { kind: 'relay', name: 'host-7', role: 'relay' } as const;
  const session = await createSessionTokens(identity).issue(caller, 'print');
  const refused = { refused: expect.stringContaining('token') };
  expect(await gateway.enroll(await newToken(other), request)).toEqual(refused);
  expect(await gateway.enroll(session.token, request)).toEqual(refused);
  expect(await gateway.enroll('', request)).toEqual(refused);
  const sessions = createSessionTokens(identity);
  expect(await sessions.verify(await newToken(), 'print')).toHaveProperty('refused');
});
