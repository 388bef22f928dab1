import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Approvers } from '../ports/approvers.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { type Grants, grantsPerAgent, openGrants } from './grants.ts';

/** Everybody may say yes, for all agents, and each principal is a person of its own. */
const anyApprover: Approvers = {
  rightOf: () => ({ role: 'admin', stamp: '1/0' }),
  personOf: (principal) => principal,
};

let dir: string;
let database: Database;
let records: AuditRecord[];
let isAuditFull: boolean;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-grants-'));
  database = await openDatabase(join(dir, 'clawrden.db'), 'crash');
  [records, isAuditFull] = [[], false];
});
afterEach(async () => {
  vi.useRealTimers();
  await database.destroy();
  rmSync(dir, { recursive: true });
});

const audit = {
  append: async (record: AuditRecord) => {
    if (isAuditFull) throw new Error('the audit is full');
    records.push(record);
  },
  unkept: () => {},
};

const given = (agent: string, planHash: string, by = 'person:ann') => ({
  ...{ agent, planHash, deed: '', rule: 'r', execution: 'e', by: [by], stamps: ['1/0'] },
  command: { argv: ['rm', planHash], cwd: '/app' },
});

test('P10: a grant covers what does the same by another policy, and nothing that an earlier version left without a deed', async () => {
  const grants = await openGrants(database, audit, anyApprover);
  await grants.give({ ...given('coder', 'h'), deed: 'd' }, 60_000);
  await grants.give(given('coder', 'old'), 60_000);
  for (const each of [grants, await openGrants(database, audit, anyApprover)]) {
    expect(each.of('coder', 'h2', 'd')).toHaveLength(1);
    expect([
      ...each.of('coder', 'h2', 'e'),
      ...each.of('other', 'h2', 'd'),
      ...each.of('coder', 'x', ''),
    ]).toEqual([]);
  }
});

type Step =
  | { readonly type: 'give'; readonly agent: string; readonly plan: string; readonly by: string }
  | { readonly type: 'revoke'; readonly at: number }
  | { readonly type: 'endAllBut'; readonly agents: readonly string[] }
  | { readonly type: 'restart' };

const agent = fc.constantFrom('', 'coder', 'web-1');
const plan = fc.constantFrom('h1', 'h2');
const by = fc.constantFrom('person:ann', 'person:bob');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('give' as const), agent, plan, by }),
  fc.record({ type: fc.constant('revoke' as const), at: fc.nat(8) }),
  fc.record({ type: fc.constant('endAllBut' as const), agents: fc.subarray(['coder', 'web-1']) }),
  fc.record({ type: fc.constant('restart' as const) }),
);

const numRuns = process.env['CLAWRDEN_LONG'] ? 2000 : 40;

test('P10: whatever was given, revoked and restarted, a grant covers its plan of its agent until it is revoked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      await database.deleteFrom('grants').execute();
      let grants = await openGrants(database, audit, anyApprover);
      let held: { id: string; agent: string; plan: string; by: string }[] = [];
      const gone: string[] = [];
      for (const each of steps) {
        if (each.type === 'give') {
          const { id } = await grants.give(given(each.agent, each.plan, each.by), 60_000);
          held.push({ id, agent: each.agent, plan: each.plan, by: each.by });
        } else if (each.type === 'revoke') {
          const id = held[each.at]?.id ?? gone[0] ?? 'f'.repeat(16);
          const isHeld = held.some((one) => one.id === id);
          expect((await grants.revoke(id, 'person:zoe', ''))?.id).toBe(isHeld ? id : undefined);
          held = held.filter((one) => one.id !== id);
          gone.push(id);
        } else if (each.type === 'endAllBut') {
          await grants.endAllBut(each.agents);
          held = held.filter((one) => one.agent === '' || each.agents.includes(one.agent));
        } else grants = await openGrants(database, audit, anyApprover);
        for (const name of ['', 'coder', 'web-1'])
          for (const hash of ['h1', 'h2'])
            expect(idsOf(grants.of(name, hash, ''))).toEqual(
              held.flatMap(({ id, agent: its, plan: of }) => (its === name && of === hash ? id : [])).sort(),
            );
        expect(idsOf(grants.list())).toEqual(held.map(({ id }) => id).sort());
      }
    }),
    { numRuns },
  );
});

function idsOf(grants: ReturnType<Grants['list']>): string[] {
  return grants.map(({ id }) => id).sort();
}

test('P10: a revoked grant covers nothing from the call on, also before the disk has it', async () => {
  const grants = await openGrants(database, audit, anyApprover);
  const { id } = await grants.give(given('coder', 'h'), 60_000);
  const revoked = grants.revoke(id, 'person:zoe', 'not any more');
  expect(grants.of('coder', 'h', '')).toEqual([]);
  await revoked;
  expect(await openGrants(database, audit, anyApprover).then((again) => again.list())).toEqual([]);
  expect(records).toMatchObject([
    { type: 'grant', event: 'given', grant: id, agent: 'coder', by: 'person:ann' },
    { type: 'grant', event: 'revoked', grant: id, by: 'person:zoe', reason: 'not any more' },
  ]);
});

test('P25: what the audit cannot take is not given, and is revoked all the same', async () => {
  const grants = await openGrants(database, audit, anyApprover);
  const { id } = await grants.give(given('coder', 'h'), 60_000);
  isAuditFull = true;
  await expect(grants.give(given('coder', 'other'), 60_000)).rejects.toThrow('nothing has changed');
  await expect(grants.revoke(id, 'person:zoe', '')).rejects.toThrow('it is in force, and outlives a restart');
  for (const each of [grants, await openGrants(database, audit, anyApprover)])
    expect(each.list()).toEqual([]);
});

test('A-91: a grant does not outlive its time if the wall clock is set back, and a restart keeps it', async () => {
  const grants = await openGrants(database, audit, anyApprover);
  await grants.give(given('coder', 'h'), 200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect((await openGrants(database, audit, anyApprover)).of('coder', 'h', '')).toHaveLength(1);
  expect(grants.of('coder', 'h', '')).toHaveLength(1);
  await sleep(250);
  expect(grants.of('coder', 'h', '')).toEqual([]);
});

test.each([
  ['also if nobody looks', () => undefined],
  ['also if somebody looks', (grants: Grants) => grants.list()],
] as const)('A-544 P10 P26: a grant whose time is over is gone from the disk, %s', async (_how, look) => {
  const grants = await openGrants(database, audit, anyApprover);
  await grants.give(given('coder', 'h'), 500);
  const rows = async () => {
    look(grants);
    return await database.selectFrom('grants').selectAll().execute();
  };
  expect(await rows()).toHaveLength(1);
  await expect.poll(rows).toEqual([]);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect((await openGrants(database, audit, anyApprover)).of('coder', 'h', '')).toEqual([]);
});

test('A-544 P10 P26: a grant that is restored after the wall clock was set back has no more time than was said', async () => {
  await (await openGrants(database, audit, anyApprover)).give(given('coder', 'h'), 500);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  const restored = await openGrants(database, audit, anyApprover);
  expect(restored.of('coder', 'h', '')).toHaveLength(1);
  await sleep(550);
  expect(restored.of('coder', 'h', '')).toEqual([]);
});

test('A-412 P20: one agent has 200 grants at most, others are given theirs, and one that is revoked makes room', async () => {
  const grants = await openGrants(database, audit, anyApprover);
  for (let at = 0; at < grantsPerAgent; at += 1) await grants.give(given('coder', `h${at}`), 60_000);
  expect(grants.whyFull('coder')).toMatch('agent coder has 200 grants already');
  await expect(grants.give(given('coder', 'more'), 60_000)).rejects.toThrow('has 200 grants already');
  expect(['', 'web-1'].map(grants.whyFull)).toEqual(['', '']);
  const [first] = grants.of('coder', 'h0', '');
  await grants.revoke(first?.id ?? '', 'person:zoe', '');
  expect(grants.whyFull('coder')).toBe('');
});

test("A-412 P20: whether an agent's plan is granted reckons no right of who gave others theirs", async () => {
  let reckoned = 0;
  const rightOf: Approvers['rightOf'] = () => {
    reckoned += 1;
    return { role: 'admin', stamp: '1/0' };
  };
  const grants = await openGrants(database, audit, { ...anyApprover, rightOf });
  for (let at = 0; at < 20; at += 1) await grants.give(given('coder', `h${at}`), 60_000);
  await grants.give(given('web-1', 'h'), 60_000);
  reckoned = 0;
  expect(grants.of('web-1', 'h', '')).toHaveLength(1);
  expect(reckoned).toBe(1);
});

test('A-331 P17: what was granted to an agent that has gone is revoked in the audit, so no older copy gives it to another of its name', async () => {
  const grants = await openGrants(database, audit, anyApprover);
  const { id } = await grants.give(given('coder', 'h'), 60_000);
  await grants.give(given('', 'h'), 60_000);
  await grants.endAllBut([]);
  expect(records.slice(2)).toMatchObject([{ type: 'grant', event: 'revoked', grant: id, by: 'gateway' }]);
  expect(grants.list()).toMatchObject([{ agent: '' }]);
});

test('A-331 P17: nor does one whose time was over stay for another agent of its name', async () => {
  const grants = await openGrants(database, audit, anyApprover);
  await grants.give(given('coder', 'h'), 1);
  await expect.poll(() => grants.list()).toEqual([]);
  await grants.endAllBut([]);
  expect(await database.selectFrom('grants').selectAll().execute()).toEqual([]);
});
