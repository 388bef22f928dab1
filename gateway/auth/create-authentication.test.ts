import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeAuthority } from '../../src/pki/authority.ts';
import { fingerprint } from '../../src/pki/fingerprint.ts';
import { issueClientCertificate, issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import type { PeerName } from '../../src/pki/peer-name.ts';
import { createAuthorities } from '../keys/authorities.ts';
import { createKeyRing } from '../keys/key-ring.ts';
import type { Admission } from '../ports/authentication.ts';
import type { Role } from '../ports/principal.ts';
import { createAuthentication, type PersonOf } from './create-authentication.ts';

const authority = await makeAuthority('Test CA');
const authorities = createAuthorities({ authority, server: authority });
const signingKey = generateKeyPairSync('ed25519').privateKey;
const day = 86_400_000;

function authentication(people: [string, Role][] = [], revoked: string[] = []) {
  const roles = new Map(people);
  return createAuthentication({
    identity: { gatewayId: 'gw-1', keys: createKeyRing(signingKey) },
    authorities,
    personOf: (name) => {
      const role = roles.get(name);
      return role && { role, scope: {} };
    },
    programOf: (name) => (name === 'ci' ? { right: { role: 'orchestrator', scope: {} } } : undefined),
    isRevoked: (print) => revoked.includes(print),
    onRevoked: () => {},
  });
}

async function certificateOf(peer: PeerName, from = -day, to = day): Promise<Buffer> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const period = { notBefore: new Date(Date.now() + from), notAfter: new Date(Date.now() + to) };
  return new X509Certificate(await issueClientCertificate(authority, peer, publicKey, period)).raw;
}

function admitted(auth: ReturnType<typeof authentication>, der: Buffer): Admission {
  const checked = auth.admit(der);
  if ('refused' in checked) throw new Error(checked.refused);
  return checked.value;
}

async function tokenFor(auth: ReturnType<typeof authentication>, der: Buffer): Promise<string> {
  const issued = await admitted(auth, der).issueToken();
  if ('refused' in issued) throw new Error(issued.refused);
  return issued.value.token;
}

test('a relay is who its certificate says, with a token bound to it', async () => {
  const auth = authentication();
  const der = await certificateOf({ kind: 'relay', name: 'host-7' });
  const value = { kind: 'relay', name: 'host-7', role: 'relay', scope: {} };
  expect(await admitted(auth, der).callerOf(await tokenFor(auth, der))).toEqual({ value });
});

test("A-53: relay 1's token over relay 2's certificate is refused", async () => {
  const auth = authentication();
  const one = await certificateOf({ kind: 'relay', name: 'one' });
  const two = await certificateOf({ kind: 'relay', name: 'two' });
  const refused = 'the token is bound to another certificate';
  expect(await admitted(auth, two).callerOf(await tokenFor(auth, one))).toEqual({ refused });
});

test('A-54: expired, not yet valid, revoked and nameless certificates are not let in', async () => {
  const good = await certificateOf({ kind: 'relay', name: 'a' });
  const server = await issueServerCertificate(authority, ['spiffe.example']);
  const auth = authentication([], [fingerprint(good)]);
  const cases = {
    expired: await certificateOf({ kind: 'relay', name: 'a' }, -2 * day, -1000),
    'not valid yet': await certificateOf({ kind: 'relay', name: 'a' }, 60_000, day),
    revoked: good,
    'names no relay': new X509Certificate(server.certificate).raw,
    'not known here': await certificateOf({ kind: 'person', name: 'nobody' }),
  };
  for (const [why, der] of Object.entries(cases)) {
    expect(auth.admit(der)).toEqual({ refused: expect.stringContaining(why) });
  }
});

test.each([
  ['a higher role', { role: 'admin', scope: {} }],
  ['a lower role', { role: 'viewer', scope: {} }],
  ['another scope', { role: 'operator', scope: { team: 'web' } }],
  ['nothing', undefined],
] as const)(
  'P6: a connection ends if its person has %s now; one with the same rights goes on',
  async (_what, next) => {
    let [rights, clock]: [ReturnType<PersonOf>, string] = [{ role: 'operator', scope: {} }, ''];
    const auth = createAuthentication({
      identity: { gatewayId: 'gw-1', keys: createKeyRing(signingKey) },
      authorities,
      personOf: (_name, when) => {
        clock = when;
        return rights;
      },
      programOf: () => undefined,
      isRevoked: () => false,
      onRevoked: () => {},
    });
    const der = await certificateOf({ kind: 'person', name: 'ann' });
    const connection = admitted(auth, der);
    const token = await tokenFor(auth, der);
    rights = { role: 'operator', scope: {} };
    expect(await connection.callerOf(token)).toHaveProperty('value');
    expect(clock).toBe('hasRunOut');
    rights = next;
    const refused = { refused: expect.stringMatching(/has changed|not known/) };
    expect([connection.check(), await connection.callerOf(token)]).toEqual([refused, refused]);
    expect(auth.admit(der)).toHaveProperty(next === undefined ? 'refused' : 'value');
  },
);

test("A-68: a person's role is the gateway's record, and a token made before it changed is refused", async () => {
  const der = await certificateOf({ kind: 'person', name: 'ann' });
  const before = authentication([['ann', 'admin']]);
  const token = await tokenFor(before, der);
  expect(await admitted(before, der).callerOf(token)).toEqual({
    value: { kind: 'person', name: 'ann', role: 'admin', scope: {} },
  });
  const refused = 'the token is for another role';
  const after = authentication([['ann', 'viewer']]);
  expect(await admitted(after, der).callerOf(token)).toEqual({ refused });
});

test('a certificate that is revoked while a call is checked, or a token is made, gives neither', async () => {
  const revoked: string[] = [];
  const auth = authentication([], revoked);
  const der = await certificateOf({ kind: 'relay', name: 'a' });
  const admission = admitted(auth, der);
  const token = await tokenFor(auth, der);
  const call = admission.callerOf(token);
  const another = admission.issueToken();
  revoked.push(fingerprint(der));
  const refused = 'the certificate is revoked';
  expect([await call, await another, admission.check()]).toEqual([{ refused }, { refused }, { refused }]);
});

describe('P26, A-91: the certificate of a connection', () => {
  const hour = 3_600_000;
  const validForAnHour = () => certificateOf({ kind: 'relay', name: 'a' }, -300_000, hour);
  afterEach(() => void vi.useRealTimers());

  test.each([-day, -hour, hour, day])('counts as before when the wall clock jumps by %i ms', async (jump) => {
    const der = await validForAnHour();
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const auth = authentication();
    const admission = admitted(auth, der);
    vi.setSystemTime(Date.now() + jump);
    expect(admission.check()).toHaveProperty('value');
    vi.advanceTimersByTime(hour - 10_000);
    expect(admission.check()).toHaveProperty('value');
    vi.advanceTimersByTime(20_000);
    expect(admission.check()).toEqual({ refused: 'the certificate has expired' });
  });

  test('is held against the wall clock when another connection begins', async () => {
    const der = await validForAnHour();
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const start = Date.now();
    const auth = authentication();
    expect(auth.admit(der)).toHaveProperty('value');
    vi.setSystemTime(start - hour);
    expect(auth.admit(der)).toEqual({ refused: 'the certificate is not valid yet' });
    vi.setSystemTime(start + day);
    expect(auth.admit(der)).toEqual({ refused: 'the certificate has expired' });
  });
});
