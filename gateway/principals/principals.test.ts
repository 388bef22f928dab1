import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AgentConfig, GatewayConfig } from '../../src/config/gateway-config.ts';
import type { PersonRole, WantedToken } from '../ports/known-principals.ts';
import { openRecords, type Records } from '../start/open-records.ts';
import { openPrincipals, type Principals } from './open-principals.ts';
import type { FirstPeople } from './people.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const admin: FirstPeople = new Map([['admin', { role: 'admin', scope: {} }]]);
const program = (name: string, more: Partial<WantedToken> = {}): WantedToken => ({
  ...{ name, role: 'orchestrator', scope: {}, agent: '', until: undefined },
  ...more,
});

let dir: string;
let records: Records;
let agents: Set<string>;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-principals-'));
  agents = new Set(['coder']);
});
afterEach(async () => {
  vi.useRealTimers();
  await records.close().catch(() => {});
  await rm(dir, { recursive: true, force: true });
});

async function start(first: FirstPeople = new Map()): Promise<Principals> {
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  records = await openRecords(config, privateKey, 'test');
  return await openPrincipals({
    ...records,
    first,
    agents: () => new Map([...agents].map((name) => [name, agentOf(name)])),
  });
}

async function restart(principals: Principals, first?: FirstPeople): Promise<Principals> {
  await principals.apiTokens.close();
  await records.close();
  return await start(first);
}

async function loseDatabase(principals: Principals, first?: FirstPeople): Promise<Principals> {
  await principals.apiTokens.close();
  await records.close();
  for (const end of ['', '-wal', '-shm']) await rm(join(dir, `clawrden.db${end}`), { force: true });
  return await start(first);
}

async function textOf(principals: Principals, wanted: WantedToken): Promise<string> {
  const made = await principals.apiTokens.create(wanted, 'person:admin');
  if ('refused' in made) throw new Error(made.refused);
  return made.value.text;
}

const person = (name: string, role: PersonRole, replace = false) => ({
  ...{ name, role, scope: {}, until: undefined, replace },
});

test('P17: an API token lets in whom it was made for, and only its digest is kept', async () => {
  const principals = await start(admin);
  const ci = await textOf(principals, program('ci', { scope: { team: 'web' } }));
  const own = await textOf(principals, program('own', { role: 'agent', agent: 'coder' }));
  expect([ci, own]).toEqual([expect.stringMatching(/^clw_[\w-]{43}$/), expect.stringMatching(/^clw_/)]);
  const who = (text: string, from = '10.0.0.1') => principals.apiTokens.authenticateToken(text, from);
  expect(who(ci)).toMatchObject({
    value: { kind: 'program', name: 'ci', role: 'orchestrator', scope: { team: 'web' } },
  });
  expect(who(own)).toMatchObject({ value: { kind: 'agent', name: 'coder', role: 'agent', scope: {} } });
  expect(principals.apiTokens.list().map(({ usedFrom }) => usedFrom)).toEqual(['10.0.0.1', '10.0.0.1']);
  agents.clear();
  expect(who(own)).toEqual({ refused: 'there is no agent coder any more', waitMs: 0 });
  await principals.apiTokens.close();
  await records.close();
  const files = ['clawrden.db', 'audit.jsonl'].map((name) => readFile(join(dir, name), 'latin1'));
  const kept = (await Promise.all(files)).join('');
  expect(kept).toContain(createHash('sha256').update(ci).digest('hex'));
  for (const text of [ci, own]) expect(kept).not.toContain(text.slice(4, 24));
});

test('P17: what is changed in an API token, in any place, lets nobody in', async () => {
  const principals = await start(admin);
  const good = await textOf(principals, program('ci'));
  let sources = 0;
  const isLetIn = (text: string) => {
    sources += 1;
    return 'value' in principals.apiTokens.authenticateToken(text, `10.0.${sources >> 8}.${sources & 255}`);
  };
  const changed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((rest) => `clw_${rest}`),
    fc.tuple(fc.nat(good.length), fc.string({ minLength: 1 })).map(([at, text]) => good.slice(0, at) + text),
    fc.nat(good.length - 1).map((length) => good.slice(0, length)),
    fc.string({ minLength: 1 }).map((rest) => good + rest),
    fc.string({ minLength: 1 }).map((rest) => rest + good),
    fc.constantFrom(
      good.toUpperCase(),
      good.toLowerCase(),
      `${good}\n`,
      ` ${good}`,
      `${good}=`,
      good.repeat(99),
    ),
  );
  fc.assert(
    fc.property(changed, (text) => text === good || !isLetIn(text)),
    { numRuns: process.env.CLAWRDEN_LONG ? 20_000 : 1_000 },
  );
  expect(isLetIn(good)).toBe(true);
});

test('P20: ten wrong tokens a minute from a source, and who was let in from there stays', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const principals = await start(admin);
  const [inside, outside] = [
    await textOf(principals, program('in')),
    await textOf(principals, program('out')),
  ];
  const show = (text: string, from = '2001:db8::1') => principals.apiTokens.authenticateToken(text, from);
  expect(show(inside)).toHaveProperty('value');
  for (let i = 0; i < 10; i += 1) expect(show('clw_wrong', `2001:db8::${i}`)).toMatchObject({ waitMs: 0 });
  const refused = show(outside, '2001:db8::ffff');
  expect(refused).toMatchObject({ refused: expect.stringContaining('too many'), waitMs: 60_000 });
  expect(show(inside)).toHaveProperty('value');
  expect(show(outside, '2001:db8:1::1')).toHaveProperty('value');
  vi.advanceTimersByTime(59_999);
  expect(show(outside)).toMatchObject({ waitMs: 1 });
  vi.advanceTimersByTime(1);
  expect(show(outside)).toHaveProperty('value');
});

test('P6 P26: a token ends at the end that was set, whatever the wall clock says meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: Date.now() });
  const principals = await start(admin);
  const text = await textOf(principals, program('ci', { until: Date.now() + 5000 }));
  const show = () => principals.apiTokens.authenticateToken(text, '10.0.0.1');
  const admitted = show();
  if ('refused' in admitted) throw new Error(admitted.refused);
  vi.setSystemTime(Date.now() + 86_400_000);
  expect(admitted.check()).toHaveProperty('value');
  expect(show()).toMatchObject({ refused: 'the API token has expired' });
  vi.setSystemTime(Date.now() - 2 * 86_400_000);
  vi.advanceTimersByTime(5000);
  expect(admitted.check()).toEqual({ refused: 'the API token has expired' });
  expect(show()).toMatchObject({ refused: 'the API token has expired' });
});

test('P6: a token that was rotated or removed ends for who is here, too, and its name is gone for good', async () => {
  let principals = await start(admin);
  const told = vi.fn<() => void>();
  principals.onRevoked(told);
  const first = await textOf(principals, program('ci'));
  const show = (text: string) => principals.apiTokens.authenticateToken(text, '10.0.0.1');
  const admitted = show(first);
  if ('refused' in admitted) throw new Error(admitted.refused);
  const rotate = async (overlapMs: number) => {
    const made = await principals.apiTokens.rotate('ci', overlapMs, 'person:admin');
    if ('refused' in made) throw new Error(made.refused);
    return made.value.text;
  };
  const second = await rotate(60_000);
  principals = await restart(principals);
  for (const text of [first, second]) expect(show(text)).toMatchObject({ value: admitted.value });
  const third = await rotate(0);
  for (const text of [first, second])
    expect(show(text)).toEqual({ refused: 'the API token is not valid', waitMs: 0 });
  const last = show(third);
  await principals.apiTokens.remove('ci', 'person:admin', 'stolen');
  expect('check' in last && last.check()).toEqual({ refused: 'the API token is not valid' });
  principals = await restart(principals);
  expect(await principals.apiTokens.create(program('ci'), 'person:admin')).toEqual({
    refused: 'the API token ci was removed, and names are not used again',
  });
  expect(told).toHaveBeenCalled();
});

test('P6: who may run something over HTTP: tokens that count, and people who are in and may', async () => {
  const principals = await start(admin);
  const { people, apiTokens } = principals;
  await textOf(principals, program('ci'));
  for (const [name, role] of [
    ['olga', 'operator'],
    ['vera', 'viewer'],
  ] as const)
    await people.set(person(name, role), 'person:admin');
  const inForce = () => [...principals.inForce()].toSorted().join(' ');
  // Nobody has a certificate of the two yet.
  expect(inForce()).toBe('person:admin program:ci');
  for (const name of ['olga', 'vera']) await people.noteLetIn(name, true);
  expect(inForce()).toBe('person:admin person:olga program:ci');
  await people.set(person('olga', 'viewer', true), 'person:admin');
  expect(inForce()).toBe('person:admin program:ci');
  await people.set(person('olga', 'operator', true), 'person:admin');
  expect(inForce()).toBe('person:admin person:olga program:ci');
  await people.noteLetIn('olga', false);
  await apiTokens.remove('ci', 'person:admin', '');
  expect(inForce()).toBe('person:admin');
});

test('people of the file are taken in once: who was removed does not come back with it', async () => {
  const file: FirstPeople = new Map([...admin, ['bob', { role: 'approver', scope: {} }]]);
  let principals = await start(file);
  expect(principals.personOf('bob', 'isOver')).toEqual({ role: 'approver', scope: {} });
  await principals.people.set(person('admin2', 'admin'), 'person:admin');
  await principals.people.remove('bob', 'person:admin', '');
  principals = await restart(principals, file);
  expect(principals.personOf('bob', 'isOver')).toBeUndefined();
  expect(await principals.people.set(person('bob', 'viewer'), 'person:admin')).toMatchObject({
    refused: expect.stringContaining('names are not used again'),
  });
  principals = await loseDatabase(principals, file);
  expect(
    principals.people
      .list()
      .map(({ name, role }) => `${name} ${role}`)
      .toSorted(),
  ).toEqual(['admin admin', 'admin2 admin']);
});

test('P25: a lost database gets its people and tokens from the audit', async () => {
  let principals = await start(admin);
  const kept = await textOf(principals, program('kept', { scope: { team: 'web' } }));
  const gone = await textOf(principals, program('gone'));
  await principals.apiTokens.remove('gone', 'person:admin', '');
  const before = principals.apiTokens.list().map(({ name, principal, by }) => ({ name, principal, by }));
  principals = await loseDatabase(principals);
  expect(principals.personOf('admin', 'isOver')).toEqual({ role: 'admin', scope: {} });
  expect(principals.apiTokens.list()).toMatchObject(before);
  expect(principals.apiTokens.authenticateToken(kept, '::1')).toHaveProperty('value');
  expect(principals.apiTokens.authenticateToken(gone, '::1')).toHaveProperty('refused');
  expect(await principals.apiTokens.create(program('gone'), '')).toHaveProperty('refused');
});

test('P25: who could not be kept is not there after a restart either; a removal that could not is', async () => {
  let principals = await start(admin);
  await textOf(principals, program('ci'));
  const fails = async (event: string, table: string) =>
    await sql
      .raw(`create trigger full_${table} before ${event} on ${table} begin select raise(abort, 'full'); end`)
      .execute(records.database);
  await fails('insert', 'people');
  await fails('insert', 'api_tokens');
  await expect(principals.people.set(person('eve', 'admin'), 'person:admin')).rejects.toThrow(
    'nothing has changed',
  );
  await expect(textOf(principals, program('late'))).rejects.toThrow('nothing has changed');
  await expect(principals.apiTokens.remove('ci', 'person:admin', '')).rejects.toThrow('it is in force');
  for (const table of ['people', 'api_tokens'])
    await sql.raw(`drop trigger full_${table}`).execute(records.database);
  for (const again of [restart, loseDatabase]) {
    principals = await again(principals);
    expect(principals.people.list().map(({ name }) => name)).toEqual(['admin']);
    expect(principals.apiTokens.list()).toEqual([]);
  }
});

test('the last admin stays, through every order of changes', async () => {
  const principals = await start(new Map([...admin, ['ann', { role: 'admin', scope: {} }]]));
  const role = fc.constantFrom('viewer' as const, 'operator' as const, 'admin' as const);
  const name = fc.constantFrom('admin', 'ann', 'new');
  const set = fc
    .record({ name, role, replace: fc.boolean(), ends: fc.boolean(), scoped: fc.boolean() })
    .map(({ name: whom, role: as, replace, ends, scoped }) => () => {
      const limits = { until: ends ? Date.now() + 1e6 : undefined, scope: scoped ? { team: 'web' } : {} };
      return principals.people.set({ ...person(whom, as, replace), ...limits }, 'x');
    });
  const remove = fc.constantFrom('admin', 'new').map((whom) => () => principals.people.remove(whom, 'x', ''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(set, remove), { maxLength: 8 }), async (changes) => {
      await Promise.all(changes.map((change) => change()));
      const isAdmin = ({
        role: is,
        scope,
        until,
      }: {
        role: string;
        scope: object;
        until: number | undefined;
      }) => is === 'admin' && until === undefined && Object.keys(scope).length === 0;
      return principals.people.list().some((each) => each.name !== 'new' && isAdmin(each));
    }),
    { numRuns: process.env.CLAWRDEN_LONG ? 1000 : 60 },
  );
});

test('a gateway that knows no admin does not start, and says what to do', async () => {
  await expect(start()).rejects.toThrow(/^no admin is known; .*operators.json/);
});

function agentOf(name: string): AgentConfig {
  return { name, relay: 'r', users: [{ uid: 1000, gid: 1000 }], labels: {}, cwd: '/app', hosts: {} };
}
