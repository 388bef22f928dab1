import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { makeAuthority } from '../../src/pki/authority.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { readEnrolmentPin } from '../../src/pki/enrolment-pin.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { openRevocations } from '../control/revocations.ts';
import { createAuthorities } from '../keys/authorities.ts';
import type { Enrolment } from '../ports/authentication.ts';
import { openEnrolmentTokens } from '../store/enrolment-tokens.ts';
import { authority, enrolment, identity, signingKey } from './enrolment.fixture.ts';
import { createSessionTokens } from './session-token.ts';

const { request } = await makeCertificateRequest();
const { request: other } = await makeCertificateRequest();

const host = { kind: 'relay', name: 'host-7' } as const;
const by = { kind: 'person', name: 'ann', role: 'admin', scope: {} } as const;

async function newToken(from: Enrolment, ttl = 0): Promise<string> {
  const made = await from.createToken('host-7', ['coder'], ttl, by);
  if ('refused' in made) throw new Error(made.refused);
  return made.value.token;
}

test('a token turns a request into a certificate for its relay, once', async () => {
  const gateway = await enrolment();
  const token = await newToken(gateway);
  expect(readEnrolmentPin(token)).toEqual({
    authorities: [fingerprintOfPem(authority.certificate)],
    kind: 'relay',
  });
  const [header, body, signature] = token.split('.');
  for (const loose of [`${body}=`, `${body}\n`, ` ${body}`, `=${body}`, `${body}!`])
    expect(readEnrolmentPin([header, loose, signature].join('.'))).toBeUndefined();
  const first = await gateway.enroll(token, request, '192.0.2.1:4000');
  if ('refused' in first) throw new Error(first.refused);
  expect(first.value).toMatchObject({ relay: 'host-7', agents: ['coder'], authority: authority.certificate });
  const certificate = new X509Certificate(first.value.certificate);
  expect(certificate.subjectAltName).toBe('URI:spiffe://clawrden/relay/host-7');
  expect(await gateway.enroll(token, other, '192.0.2.1:4000')).toEqual({
    refused: 'the token was used before',
  });
});

test('a code turns a request into a certificate for its person, once, and no longer than the person is known', async () => {
  const gateway = await enrolment();
  const until = Date.now() + 5 * 86_400_000;
  const ann = { kind: 'person', name: 'ann' } as const;
  expect(await gateway.createCode(ann, 0, by)).toEqual({ refused: 'there is no person ann' });
  gateway.known.set('ann', { name: 'ann', role: 'viewer', scope: {}, until, by: '', since: 0 });
  const code = async () => {
    const made = await gateway.createCode(ann, 0, by);
    if ('refused' in made) throw new Error(made.refused);
    return made.value.token;
  };
  const [first, old] = [await code(), await code()];
  const enrolled = await gateway.enroll(first, request, '192.0.2.1:4000');
  if ('refused' in enrolled) throw new Error(enrolled.refused);
  expect(enrolled.value).toMatchObject({ relay: '', person: 'ann', agents: [] });
  const certificate = new X509Certificate(enrolled.value.certificate);
  expect(certificate.subjectAltName).toBe('URI:spiffe://clawrden/person/ann');
  expect(Math.abs(certificate.validToDate.getTime() - until)).toBeLessThan(1000);
  expect(gateway.records.at(-1)).toMatchObject({
    principal: 'person:ann',
    agents: [],
    by: expect.stringMatching(/^token:/),
  });
  expect(await gateway.enroll(first, other, '')).toEqual({ refused: 'the token was used before' });
  await gateway.revocations.revoke('person:ann', by, '');
  expect(gateway.revocations.isRevoked(fingerprintOfPem(enrolled.value.certificate), 'person:ann')).toBe(
    true,
  );
  expect(await gateway.enroll(old, request, '')).toEqual({
    refused: 'the token is older than the revocation of the person ann',
  });
  const last = await code();
  gateway.known.clear();
  expect(await gateway.enroll(last, request, '')).toEqual({ refused: 'there is no person ann' });
});

test('a program gets a certificate by a code, no longer than its API token counts, and renews it', async () => {
  const gateway = await enrolment();
  const ci = { kind: 'program', name: 'ci' } as const;
  const none = { refused: 'there is no program ci' };
  expect(await gateway.createCode(ci, 0, by)).toEqual(none);
  const until = Date.now() + 5 * 86_400_000;
  const right = { role: 'orchestrator', scope: {} } as const;
  gateway.programs.set('ci', { right, until });
  const made = await gateway.createCode(ci, 0, by);
  if ('refused' in made) throw new Error(made.refused);
  expect(readEnrolmentPin(made.value.token)?.kind).toBe('program');
  const enrolled = await gateway.enroll(made.value.token, request, '192.0.2.1:4000');
  expect(enrolled).toMatchObject({ value: { relay: '', person: '', program: 'ci', agents: [] } });
  const renewed = await gateway.renew(ci, request, {
    since: 0,
    check: () => ({ value: { ...ci, ...right } }),
  });
  for (const each of [enrolled, renewed]) {
    if ('refused' in each) throw new Error(each.refused);
    const certificate = new X509Certificate(each.value.certificate);
    expect(certificate.subjectAltName).toBe('URI:spiffe://clawrden/program/ci');
    expect(Math.abs(certificate.validToDate.getTime() - until)).toBeLessThan(1000);
  }
  const later = await gateway.createCode(ci, 0, by);
  gateway.programs.clear();
  if ('refused' in later) throw new Error(later.refused);
  expect(await gateway.enroll(later.value.token, request, '')).toEqual(none);
  expect(
    await gateway.renew(ci, request, { since: 0, check: () => ({ value: { ...ci, ...right } }) }),
  ).toEqual(none);
});

test('a request that cannot be signed does not cost the token', async () => {
  const gateway = await enrolment();
  const token = await newToken(gateway);
  expect(await gateway.enroll(token, 'nonsense', '192.0.2.1:4000')).toEqual({
    refused: 'the certificate request is not one of an EC P-256 key',
  });
  expect(await gateway.enroll(token, request, '192.0.2.1:4000')).toHaveProperty('value');
});

test('relays and agents that gateway.yaml does not bind are refused, when the token is made and when it is used', async () => {
  const gateway = await enrolment();
  expect(await gateway.createToken('host-8', ['coder'], 0, by)).toHaveProperty('refused');
  expect(await gateway.createToken('host-7', ['other'], 0, by)).toHaveProperty('refused');
  expect(await gateway.createToken('host-7', [], 0, by)).toHaveProperty('refused');
  expect(await gateway.createToken('host-7', ['coder'], 8 * 86_400, by)).toHaveProperty('refused');
  const moved = await enrolment({ 'host-8': ['coder'] });
  expect(await moved.enroll(await newToken(gateway), request, '192.0.2.1:4000')).toEqual({
    refused: 'no agent in gateway.yaml has the relay host-7',
  });
});

test('a token that is older than the revocation of its relay enrols nobody; a newer one does', async () => {
  const gateway = await enrolment();
  const old = await newToken(gateway);
  await gateway.revocations.revoke('relay:host-7', by, '');
  expect(await gateway.enroll(old, request, '192.0.2.1:4000')).toEqual({
    refused: 'the token is older than the revocation of the relay host-7',
  });
  const enrolled = await gateway.enroll(await newToken(gateway), request, '192.0.2.1:4000');
  if ('refused' in enrolled) throw new Error(enrolled.refused);
  const print = fingerprintOfPem(enrolled.value.certificate);
  expect(gateway.revocations.isRevoked(print, 'relay:host-7')).toBe(false);
  const reopened = await openRevocations(gateway.database, { append: async () => {} } as unknown as AuditLog);
  expect(reopened.isRevoked(print, 'relay:host-7')).toBe(false);
  await gateway.revocations.revoke('relay:host-7', by, '');
  expect(gateway.revocations.isRevoked(print, 'relay:host-7')).toBe(true);
});

test('A-501 P6: a token and a code end with the authority that they were made by, and go on with the next if it was there', async () => {
  const rotated = createAuthorities({ authority, server: authority });
  const gateway = await enrolment(undefined, signingKey, rotated);
  const ann = { kind: 'person', name: 'ann' } as const;
  gateway.known.set('ann', { ...ann, role: 'viewer', scope: {}, until: undefined, by: '', since: 0 });
  const make = async () => {
    const code = await gateway.createCode(ann, 0, by);
    if ('refused' in code) throw new Error(code.refused);
    return [await newToken(gateway), code.value.token];
  };
  const enrolBy = (all: readonly string[]) =>
    Promise.all(all.map((token) => gateway.enroll(token, request, '')));
  const [early, late] = [await make(), await make()];
  const next = await makeAuthority('Next CA');
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  rotated.follow({ authority: next, server: next, formerUntil: Date.now() + 60_000 });
  const [within, both] = [await make(), await make()];
  const [letIn, over] = [
    { value: expect.anything() },
    { refused: 'the token is of an authority that does not count any more' },
  ];
  vi.advanceTimersByTime(59_999);
  expect(await enrolBy([...early, ...within])).toEqual([letIn, letIn, letIn, letIn]);
  vi.advanceTimersByTime(1);
  expect(await enrolBy([...late, ...both])).toEqual([over, over, letIn, letIn]);
  rotated.letGo();
  expect(await enrolBy(late)).toEqual([over, over]);
  vi.useRealTimers();
});

test('A-88: enrolment is open while a token is out, over a restart too, and not after its end', async () => {
  const gateway = await enrolment();
  expect(gateway.isOpen()).toBe(false);
  await newToken(gateway, 60);
  expect(gateway.isOpen()).toBe(true);
  const reopened = await openEnrolmentTokens(gateway.database);
  expect(reopened.areOut()).toBe(true);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 91_000 });
  expect([gateway.isOpen(), reopened.areOut()]).toEqual([false, false]);
  vi.useRealTimers();
});

test('A-51: a token of another gateway, another kind, or none at all enrols nobody', async () => {
  const gateway = await enrolment();
  const another = await enrolment(undefined, generateKeyPairSync('ed25519').privateKey);
  const caller = { kind: 'relay', name: 'host-7', role: 'relay', scope: {} } as const;
  const session = await createSessionTokens(identity).issue(caller, 'print');
  const refused = { refused: expect.stringContaining('token') };
  expect(await gateway.enroll(await newToken(another), request, '192.0.2.1:4000')).toEqual(refused);
  expect(await gateway.enroll(session.token, request, '192.0.2.1:4000')).toEqual(refused);
  expect(await gateway.enroll('', request, '192.0.2.1:4000')).toEqual(refused);
  const sessions = createSessionTokens(identity);
  expect(await sessions.verify(await newToken(gateway), 'print')).toHaveProperty('refused');
});

describe('P25: what lets a relay in', () => {
  const admission = {
    since: 0,
    check: () => ({ value: { kind: 'relay', name: 'host-7', role: 'relay', scope: {} } as const }),
  };

  test('is in the audit: who gave it, for which relay and agents, which one, until when', async () => {
    const gateway = await enrolment();
    const token = await newToken(gateway);
    const enrolled = await gateway.enroll(token, request, '192.0.2.1:4000');
    const renewed = await gateway.renew(host, request, admission);
    if ('refused' in enrolled || 'refused' in renewed) throw new Error('refused');
    const certificateRecord = (pem: string) => ({
      ...{ type: 'credential', credential: 'certificate', principal: 'relay:host-7' },
      fingerprint: fingerprintOfPem(pem),
      id: new X509Certificate(pem).serialNumber,
      until: new X509Certificate(pem).validToDate.toISOString(),
    });
    const [made] = gateway.records;
    expect(gateway.records).toEqual([
      {
        ...{
          type: 'credential',
          credential: 'enrolment-token',
          principal: 'relay:host-7',
          agents: ['coder'],
        },
        ...{ by: 'person:ann', from: '', id: expect.any(String), fingerprint: '' },
        until: expect.stringMatching(/^20/),
      },
      {
        ...certificateRecord(enrolled.value.certificate),
        ...{ agents: ['coder'], by: `token:${(made as { id: string }).id}`, from: '192.0.2.1:4000' },
      },
      {
        ...certificateRecord(renewed.value.certificate),
        ...{ agents: ['coder', 'tester'], by: 'relay:host-7', from: '' },
      },
    ]);
  });

  test('is not given if it cannot be recorded, and what is refused leaves no record', async () => {
    const gateway = await enrolment();
    const token = await newToken(gateway);
    gateway.disk.isFull = true;
    const unwritable = { code: 'audit-unwritable' };
    await expect(newToken(gateway)).rejects.toMatchObject(unwritable);
    await expect(gateway.enroll(token, request, '192.0.2.1:4000')).rejects.toMatchObject(unwritable);
    await expect(gateway.renew(host, request, admission)).rejects.toMatchObject(unwritable);
    gateway.disk.isFull = false;
    expect(await gateway.enroll(token, other, '192.0.2.1:4000')).toHaveProperty('refused');
    expect(await gateway.enroll(token, 'nonsense', '192.0.2.1:4000')).toHaveProperty('refused');
    expect(gateway.records).toHaveLength(1);
    expect(await gateway.enroll(await newToken(gateway), request, '192.0.2.1:4000')).toHaveProperty('value');
  });
});
