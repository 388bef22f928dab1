import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotatedFiles } from '../../src/audit/audit-files.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { openAuditLog } from '../audit/audit-log.ts';
import { openRevocations } from '../control/revocations.ts';
import { createAuthorities } from '../keys/authorities.ts';
import type { Admission, Enrolment } from '../ports/authentication.ts';
import { createPrincipalOperations } from '../principals/principal-operations.ts';
import { openRecords, type Records } from '../start/open-records.ts';
import { createEnrolment } from './create-enrolment.ts';

const authority = await makeAuthority('Test CA');
const identity = {
  gatewayId: 'gw-1',
  signingKey: generateKeyPairSync('ed25519').privateKey,
  authorities: createAuthorities({ authority, server: authority }),
};
const { request } = await makeCertificateRequest();
const by = { kind: 'person', name: 'ann', role: 'admin', scope: {} } as const;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-restored-'));
});
afterEach(() => rm(dir, { recursive: true }));

interface Life extends Records, Enrolment {
  readonly token: () => Promise<string>;
  /** As an admin who has taken all agents out of gateway.yaml; the epoch after it, or false. */
  readonly revoke: (relay: string) => Promise<number | false>;
  /** Empty, or why it enrols no machine. */
  readonly refusal: (token: string) => Promise<string>;
}

const people = { noteLetIn: async () => {} };
const spare = {
  since: 0,
  check: () => ({ value: {} }),
} as unknown as Admission;

async function start(): Promise<Life> {
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  const records = await openRecords(config, identity.signingKey, 'test');
  const revocations = await openRevocations(records.database, records.audit);
  const enrolment = createEnrolment({
    ...records,
    identity: { ...identity, keys: records.keys },
    agentsOf: () => ['a'],
    people,
    findPerson: () => undefined,
    apiTokens: { programOf: () => undefined },
    revocations,
  });
  const parts = { revocations, people: {}, links: {}, apiTokens: {}, agents: () => new Map() };
  const principals = createPrincipalOperations(
    parts as unknown as Parameters<typeof createPrincipalOperations>[0],
  );
  return {
    ...records,
    ...enrolment,
    token: async () => {
      const made = await enrolment.createToken('r', ['a'], 0, by);
      if ('refused' in made) throw new Error(made.refused);
      return made.value.token;
    },
    revoke: async (relay) => {
      const revoked = await principals.revoke({ kind: 'relay', name: relay }, by, '');
      return 'value' in revoked && revocations.epochOf(`relay:${relay}`);
    },
    refusal: async (token) => {
      const { request: own } = await makeCertificateRequest();
      const answer = await enrolment.enroll(token, own, 'there');
      return 'refused' in answer ? answer.refused : '';
    },
  };
}

const copy = (to: string) => sql`vacuum into ${sql.lit(join(dir, to))}`;

async function restore(name: string): Promise<void> {
  for (const end of ['-wal', '-shm']) await rm(join(dir, `clawrden.db${end}`), { force: true });
  await rename(join(dir, name), join(dir, 'clawrden.db'));
}

test('P6 P25: a token that was used enrols no machine after an older copy of the database is restored', async () => {
  const first = await start();
  const [before, since, unused] = [await first.token(), await first.token(), await first.token()];
  expect(await first.refusal(before)).toBe('');
  await copy('older').execute(first.database);
  expect(await first.refusal(since)).toBe('');
  await first.close();
  await restore('older');
  const second = await start();
  const told = second.audit.warnings().filter((text) => text.includes('was behind the audit'));
  expect(told).toEqual([
    expect.stringMatching(/1 changes.*: enrolment token [-0-9a-f]{36} used for relay:r$/),
  ]);
  for (const used of [before, since]) expect(await second.refusal(used)).toBe('the token was used before');
  expect(second.isOpen()).toBe(true);
  expect(await second.refusal(unused)).toBe('');
  await second.close();
});

test('A-524 P6 P25: if records are missing, no token of the older copy counts, used or not', async () => {
  const first = await start();
  const [token, used] = [await first.token(), await first.token()];
  expect(await first.enroll(used, request, 'here')).toHaveProperty('value');
  await copy('older').execute(first.database);
  await first.close();
  const file = join(dir, 'audit.jsonl');
  const small = await openAuditLog(file, { key: identity.signingKey, maxBytes: 1 });
  for (const text of ['one', 'two']) await small.append({ type: 'lifecycle', event: 'test', text });
  await small.close();
  await restore('older');
  await rm((await rotatedFiles(file)).at(-1) ?? '');
  const second = await start();
  expect(second.audit.warnings().join()).toMatch(/enrolment token [-0-9a-f]{36} given up\b/);
  expect(second.isOpen()).toBe(false);
  expect(await second.refusal(token)).toBe('the token was used before');
  expect(await second.enroll(used, request, 'here')).toHaveProperty('refused');
  await second.close();
});

test('P6: a relay that enrolled or renewed is revoked although gateway.yaml does not name it, over a lost database too', async () => {
  const first = await start();
  expect(await first.revoke('r')).toBe(false);
  expect(await first.refusal(await first.token())).toBe('');
  expect(await first.revoke('r')).toBe(1);
  // It enrolled before there was a list.
  expect(await first.renew({ kind: 'relay', name: 'older' }, request, spare)).toHaveProperty('value');
  expect(await first.revoke('older')).toBe(1);
  expect(await first.revoke('mistyped')).toBe(false);
  await first.close();
  await rm(join(dir, 'clawrden.db'));
  const second = await start();
  expect([await second.revoke('r'), await second.revoke('older')]).toEqual([2, 2]);
  expect(await second.revoke('mistyped')).toBe(false);
  await second.close();
});
