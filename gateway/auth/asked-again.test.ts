import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { openRevocations, type Revocations } from '../control/revocations.ts';
import { createAuthorities, type RotatedAuthorities } from '../keys/authorities.ts';
import type { Enrolment } from '../ports/authentication.ts';
import { openRecords, type Records } from '../start/open-records.ts';
import { createEnrolment } from './create-enrolment.ts';

const authority = await makeAuthority('Test CA');
const { privateKey: signingKey } = generateKeyPairSync('ed25519');
const [{ request }, { request: other }] = [await makeCertificateRequest(), await makeCertificateRequest()];
const by = { kind: 'person', name: 'ann', role: 'admin', scope: {} } as const;
const usedBefore = { refused: 'the token was used before' };

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-again-'));
});
afterEach(() => rm(dir, { recursive: true }));

interface Life extends Enrolment, Pick<Records, 'audit' | 'close'> {
  readonly revocations: Revocations;
  readonly authorities: RotatedAuthorities;
  /** Of the relay; empty: gateway.yaml does not have it. */
  readonly agents: string[];
  /** Fingerprints of certificates that were recorded. */
  readonly recorded: string[];
  readonly disk: { isFull: boolean };
  readonly token: () => Promise<string>;
}

async function start(): Promise<Life> {
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  const records = await openRecords(config, signingKey, 'test');
  const revocations = await openRevocations(records.database, records.audit);
  const authorities = createAuthorities({ authority, server: authority });
  const [agents, recorded, disk] = [['a'], [] as string[], { isFull: false }];
  const append = async (record: AuditRecord) => {
    if (disk.isFull) throw new ClawrdenError('audit-unwritable', 'no room');
    if (record.type === 'credential' && record.credential === 'certificate')
      recorded.push(record.fingerprint);
    await records.audit.append(record);
  };
  const enrolment = createEnrolment({
    identity: { gatewayId: 'gw-1', authorities, keys: records.keys },
    agentsOf: () => agents,
    people: { noteLetIn: async () => {} },
    findPerson: () => undefined,
    apiTokens: { programOf: () => undefined },
    tokens: records.tokens,
    revocations,
    audit: { append },
  });
  const token = async () => {
    const made = await enrolment.createToken('r', ['a'], 0, by);
    if ('refused' in made) throw new Error(made.refused);
    return made.value.token;
  };
  const { audit, close } = records;
  return { ...enrolment, audit, close, revocations, authorities, agents, recorded, disk, token };
}

async function certificate(answer: ReturnType<Enrolment['enroll']>): Promise<string> {
  const enrolled = await answer;
  return 'refused' in enrolled ? enrolled.refused : enrolled.value.certificate;
}

test('A-524 P25: a used token has the same answer again for the same key, recorded each time, and none for another', async () => {
  const gateway = await start();
  const token = await gateway.token();
  const first = await certificate(gateway.enroll(token, request, 'here'));
  const print = fingerprintOfPem(first);
  expect(await certificate(gateway.enroll(token, request, 'there'))).toBe(first);
  expect(await gateway.enroll(token, other, 'there')).toEqual(usedBefore);
  expect(gateway.recorded).toEqual([print, print]);
  expect(gateway.isOpen()).toBe(true);
  for (let more = 2; more < 10; more += 1)
    expect(await certificate(gateway.enroll(token, request, 'here'))).toBe(first);
  // Each answer is a record of the audit.
  expect(await gateway.enroll(token, request, 'here')).toEqual(usedBefore);
  expect(gateway.recorded).toHaveLength(10);
  await gateway.close();
});

test('A-584: an answer that the audit has not counts for none', async () => {
  const gateway = await start();
  const token = await gateway.token();
  gateway.disk.isFull = true;
  for (let count = 0; count < 12; count += 1)
    await expect(gateway.enroll(token, request, 'here')).rejects.toMatchObject({ code: 'audit-unwritable' });
  gateway.disk.isFull = false;
  for (let count = 0; count < 10; count += 1)
    expect(await gateway.enroll(token, request, 'here')).toHaveProperty('value');
  expect(await gateway.enroll(token, request, 'here')).toEqual(usedBefore);
  await gateway.close();
});

test('A-524: so it has after a restart, and after the audit could not be written', async () => {
  const first = await start();
  const token = await first.token();
  first.disk.isFull = true;
  await expect(first.enroll(token, request, 'here')).rejects.toMatchObject({ code: 'audit-unwritable' });
  first.disk.isFull = false;
  const given = await certificate(first.enroll(token, request, 'here'));
  expect(first.recorded).toEqual([fingerprintOfPem(given)]);
  await first.close();
  const second = await start();
  expect([second.isOpen(), second.audit.warnings().join()]).toEqual([
    true,
    expect.not.stringContaining('enrolment token'),
  ]);
  expect(await second.enroll(token, other, 'here')).toEqual(usedBefore);
  expect(await certificate(second.enroll(token, request, 'here'))).toBe(given);
  await second.close();
});

test('A-524 A-90: it has none after a revocation, and the next token has its own', async () => {
  const gateway = await start();
  const token = await gateway.token();
  const before = await certificate(gateway.enroll(token, request, 'here'));
  await gateway.revocations.revoke('relay:r', by, '');
  const over = { refused: 'the token is older than the revocation of the relay r' };
  expect(await gateway.enroll(token, request, 'here')).toEqual(over);
  const next = await gateway.token();
  const after = await certificate(gateway.enroll(next, request, 'here'));
  expect(await certificate(gateway.enroll(next, request, 'here'))).toBe(after);
  const isRevoked = (pem: string) => gateway.revocations.isRevoked(fingerprintOfPem(pem), 'relay:r');
  expect([isRevoked(before), isRevoked(after)]).toEqual([true, false]);
  expect(await gateway.enroll(token, request, 'here')).toEqual(over);
  await gateway.close();
});

test('A-524 A-501: it has none once another authority signs, or gateway.yaml has no such relay', async () => {
  const gateway = await start();
  const [token, unbound] = [await gateway.token(), await gateway.token()];
  for (const each of [token, unbound]) await gateway.enroll(each, request, 'here');
  const agents = gateway.agents.splice(0);
  const refused = { refused: 'no agent in gateway.yaml has the relay r' };
  expect(await gateway.enroll(unbound, request, 'here')).toEqual(refused);
  gateway.agents.push(...agents);
  const next = await makeAuthority('Next CA');
  gateway.authorities.follow({ authority: next, server: next, formerUntil: Date.now() + 60_000 });
  const within = await gateway.token();
  expect(await gateway.enroll(token, request, 'here')).toEqual(usedBefore);
  const given = await certificate(gateway.enroll(within, request, 'here'));
  expect(await certificate(gateway.enroll(within, request, 'here'))).toBe(given);
  expect(gateway.recorded).toHaveLength(4);
  await gateway.close();
});
