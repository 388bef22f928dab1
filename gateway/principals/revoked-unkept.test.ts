import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentConfig, GatewayConfig } from '../../src/config/gateway-config.ts';
import type { Principal } from '../ports/principal.ts';
import { openRecords, type Records } from '../start/open-records.ts';
import { openPrincipals, type Principals } from './open-principals.ts';
import { createPrincipalOperations } from './principal-operations.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const by: Principal = { kind: 'person', name: 'root', role: 'admin', scope: {} };
const coder = {
  name: 'coder',
  relay: 'r1',
  users: [],
  labels: {},
  cwd: '',
  hosts: {},
} as unknown as AgentConfig;
const agents = () => new Map([['coder', coder]]);

let dir: string;
let records: Records;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-revoked-'));
});
afterEach(async () => {
  await records.close().catch(() => {});
  await rm(dir, { recursive: true, force: true });
});

async function start(): Promise<Principals> {
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  records = await openRecords(config, privateKey, 'test');
  const first = ['root', 'ann'].map((name) => [name, { role: 'admin', scope: {} }] as const);
  return await openPrincipals({ ...records, first: new Map(first), agents });
}

/** As if the database's disk were full. */
async function full(table: string, isFull: boolean): Promise<void> {
  const trigger = `create trigger full_${table} before insert on ${table} begin select raise(abort, 'full'); end`;
  await sql.raw(isFull ? trigger : `drop trigger full_${table}`).execute(records.database);
}

test('A-534 P6 P25: a person whose revocation could not be kept may do nothing in a chat either, over restarts', async () => {
  let principals = await start();
  const operations = createPrincipalOperations({ ...principals, agents });
  expect(await principals.personNow('ann')).toMatchObject({ name: 'ann' });
  await full('revocations', true);
  const revoked = operations.revoke({ kind: 'person', name: 'ann' }, by, '');
  await expect(revoked).rejects.toThrow('it is in force');
  expect(await principals.personNow('ann')).toBeUndefined();
  expect([...principals.inForce()]).toEqual(['person:root']);
  // Nor is she an admin who could come in.
  expect(await operations.removePerson('root', by, '')).toMatchObject({
    refused: expect.stringContaining('last admin'),
  });
  await full('revocations', false);
  await principals.apiTokens.close();
  await records.close();
  principals = await start();
  expect(await principals.personNow('ann')).toBeUndefined();
  // Let in again, she counts again.
  const certificate = { fingerprint: 'f', principal: 'person:ann', epoch: 1 };
  expect(await principals.revocations.renewed(certificate)).toBe(true);
  await principals.people.noteLetIn('ann', true);
  expect(await principals.personNow('ann')).toMatchObject({ name: 'ann' });
});

test('A-534 P6: of an agent that is revoked every token goes, also if none of it can be kept', async () => {
  const principals = await start();
  const operations = createPrincipalOperations({ ...principals, agents });
  const wanted = { role: 'agent', scope: {}, agent: 'coder', until: undefined } as const;
  const texts: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const made = await principals.apiTokens.create({ name, ...wanted }, 'person:root');
    if ('refused' in made) throw new Error(made.refused);
    texts.push(made.value.text);
  }
  await full('api_tokens', true);
  await sql
    .raw("create trigger full_update before update on api_tokens begin select raise(abort, 'full'); end")
    .execute(records.database);
  const revoked = operations.revoke({ kind: 'agent', name: 'coder' }, by, '');
  await expect(revoked).rejects.toThrow('it is in force');
  for (const text of texts)
    expect(principals.apiTokens.authenticateToken(text, '10.0.0.1')).toHaveProperty('refused');
});
