import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createApprovalStore } from './approval-store.ts';
import { type Approvals, createApprovals, type Question } from './approvals.ts';

let database: Database;
let approvals: Approvals;

beforeEach(async () => {
  database = await openDatabase(':memory:', 'power-loss');
  approvals = createApprovals(createApprovalStore(database), 2);
});

afterEach(async () => {
  vi.useRealTimers();
  await database.destroy();
});

const question: Question = {
  executionId: 'e',
  caller: 'relay:host-1',
  agent: 'coder',
  planHash: 'h',
  plan: '{}',
  rule: 'r',
  reason: '',
  context: '{"kept":true}',
  expiresInMs: 60_000,
};
const approved = { verdict: 'approved', by: 'operator:admin', via: 'cli', reason: '' } as const;
const denied = { verdict: 'denied', by: 'operator:admin', via: 'cli', reason: 'no' } as const;
const never = new AbortController().signal;

/** A gateway that starts anew on the same database. */
function restarted(): Approvals {
  return createApprovals(createApprovalStore(database), 2);
}

test('A-42: of 50 approvals and 50 denials that race for one question exactly one counts', async () => {
  const asked = await approvals.ask(question);
  const answer = asked.verdict(never);
  const verdicts = Array.from({ length: 100 }, (_, index) => (index % 2 ? approved : denied));
  const resolutions = await Promise.all(
    verdicts.map((verdict) => approvals.resolve(asked.approval.id, verdict)),
  );
  expect(resolutions.filter(({ type }) => type === 'resolved')).toHaveLength(1);
  expect(await answer).toEqual(denied);
});

test('A-43: a second verdict, and one on a made-up id, change nothing', async () => {
  const asked = await approvals.ask(question);
  const answer = asked.verdict(never);
  await approvals.resolve(asked.approval.id, approved);
  expect((await approvals.resolve(asked.approval.id, denied)).type).toBe('already-resolved');
  expect((await approvals.resolve('ffffffffff', approved)).type).toBe('unknown');
  expect(await answer).toEqual(approved);
});

test('P10: an approval lets one start go, also after a restart', async () => {
  const asked = await approvals.ask(question);
  await approvals.resolve(asked.approval.id, approved);
  const [again] = await restarted().restore();
  expect(await again?.verdict(never)).toMatchObject(approved);
  await again?.use();
  await expect(asked.use()).rejects.toThrow('has let its one start go before');
  expect(await restarted().restore()).toEqual([]);
});

test('A-41: an expired question cannot be approved', async () => {
  const asked = await approvals.ask({ ...question, expiresInMs: 20 });
  await expect(asked.verdict(never)).rejects.toMatchObject({ code: 'approval-expired' });
  expect((await approvals.resolve(asked.approval.id, approved)).type).toBe('already-resolved');
});

test('A-41: a wall clock that is set neither expires a question nor keeps it open', async () => {
  const [short, long] = [
    await approvals.ask({ ...question, expiresInMs: 300 }),
    await approvals.ask({ ...question, expiresInMs: 60_000 }),
  ];
  const ends = [short.verdict(never), long.verdict(never)].map((end) => end.catch((error: unknown) => error));
  const real = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: real - 3_600_000 });
  expect(await ends[0]).toMatchObject({ code: 'approval-expired' });
  vi.setSystemTime(real + 3_600_000);
  await sleep(50);
  expect(approvals.pending()).toEqual([long.approval]);
  await approvals.resolve(long.approval.id, approved);
  expect(await ends[1]).toEqual(approved);
});

test('A-41 A-46: a restart leaves a question what is left of its time, and no more', async () => {
  const store = createApprovalStore(database);
  const [over, soon] = [
    await approvals.ask({ ...question, expiresInMs: 20 }),
    await approvals.ask({ ...question, expiresInMs: 500 }),
  ];
  await sleep(30);
  const after = restarted();
  const restored = await after.restore();
  expect(restored.map(({ approval }) => approval)).toEqual([soon.approval]);
  expect(await store.find(over.approval.id)).toMatchObject({ state: 'expired' });
  await expect(restored[0]?.verdict(never)).rejects.toMatchObject({ code: 'approval-expired' });
  expect(Date.now()).toBeLessThan(soon.approval.expiresAt + 300);
  expect(await store.find(soon.approval.id)).toMatchObject({ state: 'expired' });
});

test('A-45: a question whose requester is gone is void', async () => {
  const gone = new AbortController();
  const asked = await approvals.ask(question);
  const answer = asked.verdict(gone.signal);
  gone.abort(new ClawrdenError('requester-gone', 'the shim is gone'));
  await expect(answer).rejects.toMatchObject({ code: 'requester-gone' });
  expect((await approvals.resolve(asked.approval.id, approved)).type).toBe('already-resolved');
  expect(approvals.pending()).toEqual([]);
});

test('A-46: a restart keeps the question and what came with it, and answers nothing by itself', async () => {
  const { approval } = await approvals.ask(question);
  const after = restarted();
  const [again] = await after.restore();
  expect(again).toMatchObject({ approval, caller: 'relay:host-1', context: '{"kept":true}' });
  expect(after.pending()).toEqual([approval]);
  const answer = again?.verdict(never);
  expect((await after.resolve(approval.id, denied)).type).toBe('resolved');
  expect(await answer).toEqual(denied);
});

test('A-49: an agent that floods fills only its own share', async () => {
  await approvals.ask(question);
  await approvals.ask(question);
  await expect(approvals.ask(question)).rejects.toMatchObject({ code: 'pending-limit' });
  expect((await approvals.ask({ ...question, agent: 'other' })).approval.agent).toBe('other');
});

test('an id may be shortened while only one pending question begins with it', async () => {
  const { id } = (await approvals.ask(question)).approval;
  const resolution = await approvals.resolve(id.slice(0, 6), approved);
  expect(resolution).toMatchObject({ type: 'resolved', approval: { id } });
  await approvals.ask(question);
  expect((await approvals.resolve('', approved)).type).toBe('unknown');
  const many = createApprovals(createApprovalStore(database), 17);
  const ids = await Promise.all(
    Array.from({ length: 17 }, async () => (await many.ask(question)).approval.id),
  );
  // Ids are in hex: of seventeen two begin alike.
  const [alike = ''] =
    [...Map.groupBy(ids, ([first = '']) => first)].find(([, some]) => some.length > 1) ?? [];
  expect((await many.resolve(alike, approved)).type).toBe('ambiguous');
});

test('a grant holds for the same plan of the same agent, for its time', async () => {
  const store = createApprovalStore(database);
  const { id } = (await approvals.ask(question)).approval;
  await approvals.resolve(id, { ...approved, grantMs: 50 });
  expect(await store.grantedBy('coder', 'h')).toBe('operator:admin');
  expect(await store.grantedBy('coder', 'other')).toBeUndefined();
  expect(await store.grantedBy('other', 'h')).toBeUndefined();
  await expect.poll(() => store.grantedBy('coder', 'h')).toBeUndefined();
});

test('a grant does not outlive its time where the wall clock is set back, and a restart keeps it', async () => {
  const store = createApprovalStore(database);
  await store.grant('coder', 'h', 'operator:admin', Date.now() + 200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect(await createApprovalStore(database).grantedBy('coder', 'h')).toBe('operator:admin');
  expect(await store.grantedBy('coder', 'h')).toBe('operator:admin');
  await sleep(250);
  expect(await store.grantedBy('coder', 'h')).toBeUndefined();
});

test('watchers are told of every change, and not before it is on the disk', async () => {
  const seen: string[][] = [];
  const stop = new AbortController();
  approvals.watch(() => seen.push(approvals.pending().map(({ agent }) => agent)), stop.signal);
  const asking = approvals.ask(question);
  expect(approvals.pending()).toEqual([]);
  await approvals.resolve((await asking).approval.id, denied);
  stop.abort();
  await approvals.ask(question);
  expect(seen).toEqual([['coder'], []]);
});
