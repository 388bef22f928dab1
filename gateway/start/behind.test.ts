import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotatedFiles } from '../../src/audit/audit-files.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { openGrants } from '../approvals/grants.ts';
import { openAuditLog } from '../audit/audit-log.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { openAgentStates } from '../control/agent-states.ts';
import { openDrains } from '../control/drains.ts';
import { openRevocations } from '../control/revocations.ts';
import type { Approvers } from '../ports/approvers.ts';
import { openLinks } from '../principals/links.ts';
import { type FirstPeople, openPeople } from '../principals/people.ts';
import { keepToken } from '../store/api-tokens.ts';
import { keepAssignment, readAssignments } from '../store/assignments.ts';
import { openDatabase } from '../store/database.ts';
import { keepLink } from '../store/links.ts';
import { keepPerson, keepPersonRemoved } from '../store/people.ts';
import { openRecords, type Records } from './open-records.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const revocation = { type: 'revocation', by: 'person:admin', reason: '' };
const by = { kind: 'person', name: 'admin', role: 'admin', scope: {} } as const;

/** Everybody may say yes, for all agents, and each principal is a person of its own. */
const anyApprover: Approvers = {
  rightOf: () => ({ role: 'admin', stamp: '1/0' }),
  personOf: (principal) => principal,
};

let dir: string;
let file: string;
let open: Records[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-behind-'));
  file = join(dir, 'audit.jsonl');
  open = [];
});
afterEach(async () => {
  for (const records of open) await records.close().catch(() => {});
  await rm(dir, { recursive: true, force: true });
});

async function start(): Promise<Records> {
  const config = { state: dir, audit: file, limits: {} } as unknown as GatewayConfig;
  const records = await openRecords(config, privateKey, 'test');
  open.push(records);
  return records;
}

async function stop(records: Records): Promise<void> {
  open = open.filter((each) => each !== records);
  await records.close();
}

async function fail(records: Records, table: string, event: string, fails: boolean): Promise<void> {
  const trigger = `create trigger full before ${event} on ${table} begin select raise(abort, 'full'); end`;
  await sql.raw(fails ? trigger : 'drop trigger full').execute(records.database);
}

const told = ({ audit }: Records) => audit.warnings().filter((text) => text.includes('was behind the audit'));

test('P6 P25: a revocation that was recorded and not kept is in force after a stop', async () => {
  const first = await start();
  await fail(first, 'revocations', 'insert', true);
  const revoked = (await openRevocations(first.database, first.audit)).revoke('relay:r2', by, '');
  await expect(revoked).rejects.toThrow('it is in force, and a restart takes it from the audit: full');
  await fail(first, 'revocations', 'insert', false);
  await stop(first);
  const second = await start();
  expect((await openRevocations(second.database, second.audit)).epochOf('relay:r2')).toBe(1);
  expect(told(second)).toEqual([expect.stringContaining('relay:r2 revoked')]);
});

test('P19 P25: a drain that could not be ended stays, over a lost database too', async () => {
  const first = await start();
  const drains = await openDrains(first.database, first.audit);
  const set = (draining: boolean) => drains.set({ host: 'h', draining, by, reason: '' }, () => {});
  await set(true);
  await fail(first, 'drained_hosts', 'delete', true);
  await expect(set(false)).rejects.toThrow('nothing has changed');
  await stop(first);
  await rm(join(dir, 'clawrden.db'));
  const second = await start();
  expect((await openDrains(second.database, second.audit)).names()).toEqual(new Set(['h']));
});

test('P10 P25: a grant that the audit says is revoked is not brought back by an older database; a lost record ends all', async () => {
  const first = await start();
  const grants = await openGrants(first.database, first.audit, anyApprover);
  const given = { agent: 'coder', deed: '', rule: 'r', execution: 'e', by: ['person:ann'], stamps: [] };
  const command = { argv: ['rm'], cwd: '/app' };
  const give = (planHash: string) => grants.give({ ...given, planHash, command }, 3_600_000);
  const [revoked, kept] = [await give('h1'), await give('h2')];
  await fail(first, 'grants', 'delete', true);
  await expect(grants.revoke(revoked.id, 'person:zoe', '')).rejects.toThrow(
    'it is in force, and a restart takes it from the audit',
  );
  await fail(first, 'grants', 'delete', false);
  await stop(first);
  const second = await start();
  expect((await openGrants(second.database, second.audit, anyApprover)).list()).toEqual([kept]);
  expect(told(second)).toEqual([expect.stringContaining(`grant ${revoked.id} for agent coder revoked`)]);
});

test('P10 P25: links come from the audit if the database lost them, and what it has is not told again', async () => {
  const first = await start();
  const before: FirstPeople = new Map([
    ['admin', { role: 'admin', scope: {} }],
    ['ann', { role: 'approver', scope: { team: 'web', area: 'eu' } }],
  ]);
  const people = await openPeople(first.database, first.audit, before, { mayHold: () => true });
  const isPerson = (name: string) => people.find(name) !== undefined;
  const links = await openLinks({ ...first, isPerson });
  const of = (principal: string) => ({ principal, person: 'admin', reason: '' });
  for (const principal of ['person:ann', 'oidc:x']) await links.link(of(principal), 'person:admin');
  await links.unlink(of('oidc:x'), 'person:admin');
  await stop(first);
  await rm(join(dir, 'clawrden.db'));
  const second = await start();
  const linked = [{ principal: 'person:ann', person: 'admin' }];
  expect((await openLinks({ ...second, isPerson })).list()).toMatchObject(linked);
  expect(told(second).join()).toMatch(/person ann approver, person:ann linked to admin/);
  await stop(second);
  const database = await openDatabase(join(dir, 'clawrden.db'), 'crash');
  await database.deleteFrom('audit_position').execute();
  await database.destroy();
  await rm(join(dir, 'audit-faults.txt'));
  const third = await start();
  expect((await openLinks({ ...third, isPerson })).list()).toMatchObject(linked);
  expect(told(third)).toEqual([]);
});

test('A-494 P26: what was taken back in the audit is gone, although the wall clock was set back since it was given', async () => {
  const first = await start();
  const set_at = Date.now() + 3_600_000;
  const said = { by: 'person:admin', reason: '' };
  const assigned = { agent: 'coder', tool: 'npm', action: 'allow' } as const;
  await keepAssignment(first.database, { ...assigned, set_by: said.by, set_at });
  const linked = { principal: 'person:ann', person: 'admin' };
  await keepLink(first.database, { ...linked, by: said.by, since: set_at });
  first.audit.unkept();
  await first.audit.append({ type: 'assignment', event: 'unassigned', ...assigned, ...said });
  await first.audit.append({ type: 'link', event: 'removed', ...linked, ...said });
  await stop(first);
  const second = await start();
  expect(await readAssignments(second.database)).toEqual([]);
  expect(await second.database.selectFrom('links').selectAll().execute()).toEqual([]);
  expect(told(second)).toEqual([
    expect.stringMatching(/person:ann linked no more, npm of agent coder unassigned/),
  ]);
});

test('A-543 P17 P26: people and API tokens are what the audit said last, although the wall clock was set back since', async () => {
  const first = await start();
  const said = { by: 'person:admin', reason: '' };
  const until = '';
  const set_at = Date.now() + 3_600_000;
  const kept = { scope: '{}', until: null, set_by: said.by, set_at, removed: 0 };
  const token = { principal: 'program:ci', role: 'orchestrator', former_until: 0 };
  for (const name of ['ann', 'bob'])
    await keepPerson(first.database, { ...kept, name, role: 'admin', let_in: 1 });
  await keepPersonRemoved(first.database, { name: 'eve', set_by: said.by, set_at });
  for (const name of ['ci', 'cd'])
    await keepToken(first.database, { ...kept, ...token, name, digest: 'leaked', former_digest: '' });
  first.audit.unkept();
  for (const [person, role] of [
    ['ann', 'viewer'],
    ['bob', 'admin'],
    ['eve', 'admin'],
  ] as const)
    await first.audit.append({ type: 'person', event: 'set', person, role, scope: {}, until, ...said });
  for (const [name, digest] of [
    ['ci', 'new'],
    ['cd', 'leaked'],
  ] as const) {
    const { principal, role } = token;
    const rights = { principal, role, scope: {}, digest, formerDigest: '', formerUntil: '', until };
    await first.audit.append({ type: 'token', event: 'set', token: name, ...rights, ...said });
  }
  await stop(first);
  const second = await start();
  const people = await second.database.selectFrom('people').select(['name', 'role']).execute();
  expect(people.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'ann', role: 'viewer' },
    { name: 'bob', role: 'admin' },
    { name: 'eve', role: '' },
  ]);
  const tokens = await second.database.selectFrom('api_tokens').select(['name', 'digest']).execute();
  expect(new Map(tokens.map(({ name, digest }) => [name, digest]))).toEqual(
    new Map([
      ['ci', 'new'],
      ['cd', 'leaked'],
    ]),
  );
  expect(told(second)).toEqual([
    expect.stringContaining('2 changes were applied from the audit: person ann viewer, API token ci'),
  ]);
});

test('P19 P25: that somebody learned is no state of an agent: one that was paused stays so', async () => {
  const first = await start();
  const [control, learning] = [
    { type: 'control', agent: 'coder', by: 'person:admin', reason: '' },
    { tool: 'npm', learning: 'l' },
  ] as const;
  for (const record of [
    { ...control, ...learning, state: 'learning' },
    { ...control, state: 'paused' },
    { ...control, ...learning, state: 'learned' },
  ] as const)
    await first.audit.append(record);
  await stop(first);
  await rm(join(dir, 'clawrden.db'));
  const second = await start();
  expect((await openAgentStates(second.database)).stateOf('coder')).toBe('paused');
});

test('P19 P25: records of earlier versions count strictly, and missing ones are told', async () => {
  const first = await start();
  await stop(first);
  const audit = await openAuditLog(file, { key: privateKey });
  for (let i = 0; i < 2; i += 1)
    await audit.append({ ...{ relay: 'r2' }, ...revocation } as unknown as AuditRecord);
  await audit.append({ type: 'control', agent: 'a1', state: 'unheard-of', by: 'x', reason: '' });
  await audit.close();
  const second = await start();
  expect((await openRevocations(second.database, second.audit)).epochOf('relay:r2')).toBe(2);
  expect((await openAgentStates(second.database)).stateOf('a1')).toBe('paused');
  await stop(second);

  const small = await openAuditLog(file, { key: privateKey, maxBytes: 1 });
  for (let i = 0; i < 3; i += 1)
    await small.append({ type: 'control', agent: `b${i}`, state: 'paused', by: 'x', reason: '' });
  await small.close();
  const parts = await rotatedFiles(file);
  await rename(parts.at(-1) ?? '', join(dir, 'away'));
  const third = await start();
  expect(told(third).at(-1)).toMatch(
    /agent b0 paused, agent b2 paused; records? \d+.* are not there.*create new tokens/,
  );
});
