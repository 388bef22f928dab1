import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import type { Approvers } from '../ports/approvers.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createApprovalStore } from './approval-store.ts';
import { type Approvals, type ApprovalsParts, createApprovals } from './approvals.ts';
import { type Grants, grantsPerAgent, openGrants } from './grants.ts';
import type { Question } from './question-row.ts';

/** Everybody may say yes, for all agents, and each principal is a person of its own. */
const anyApprover: Approvers = {
  rightOf: () => ({ role: 'admin', stamp: '1/0' }),
  personOf: (principal) => principal,
};

const audit = { append: async () => {}, unkept: () => {} };

let database: Database;
let grants: Grants;
let approvals: Approvals;

beforeEach(async () => {
  database = await openDatabase(':memory:', 'power-loss');
  grants = await openGrants(database, audit, anyApprover);
  approvals = createApprovals(parts(2));
});

afterEach(async () => {
  vi.useRealTimers();
  await database.destroy();
});

function parts(pendingPerAgent: number): ApprovalsParts {
  const store = createApprovalStore(database);
  return { store, grants, approvers: anyApprover, record: audit.append, pendingPerAgent };
}

const question: Question = {
  executionId: 'e',
  caller: 'relay:host-1',
  agent: 'coder',
  planHash: 'h',
  plan: JSON.stringify({ agent: 'coder', argv: ['ls'], cwd: '/app', stdin: 'pipe' }),
  rule: 'r',
  reason: '',
  context: '{"kept":true}',
  expiresInMs: 60_000,
};
const approved = { verdict: 'approved', by: 'person:admin', via: 'cli', reason: '' } as const;
const denied = { verdict: 'denied', by: 'person:admin', via: 'cli', reason: 'no' } as const;
const of = { planHash: 'h' } as const;
const never = new AbortController().signal;

/** A gateway that starts again on the same database. */
function restarted(): Approvals {
  return createApprovals(parts(2));
}

test('A-42: of 50 approvals and 50 denials that race for one question exactly one counts', async () => {
  const asked = await approvals.ask(question);
  const answer = asked.verdict(never);
  const verdicts = Array.from({ length: 100 }, (_, index) => (index % 2 ? approved : denied));
  const resolutions = await Promise.all(
    verdicts.map((verdict) => approvals.resolve(asked.approval.id, { ...verdict, ...of })),
  );
  expect(resolutions.filter(({ type }) => type === 'resolved')).toHaveLength(1);
  expect(await answer).toEqual(denied);
});

test("A-82: the requester's own yes does not count, and its question stays open for others", async () => {
  const asked = await approvals.ask({ ...question, caller: approved.by });
  const { id } = asked.approval;
  expect(await approvals.resolve(id, { ...approved, ...of })).toMatchObject({ type: 'own-request' });
  expect(approvals.pending()).toHaveLength(1);
  expect(await approvals.resolve(id, { ...approved, ...of, by: 'person:bob' })).toMatchObject({
    type: 'resolved',
  });
  expect(await asked.verdict(never)).toMatchObject({ by: 'person:bob' });
});

test.each(['cli', 'http', 'telegram'])('A-512 P10: who asked says no by %s, and never yes', async (via) => {
  const consent = { role: 'approver', approvals: 1, answerIn: ['cli', 'dashboard', 'chat'] } as const;
  const { approval, verdict } = await approvals.ask({ ...question, consent, caller: denied.by });
  const say = (said: object) => approvals.resolve(approval.id, { ...denied, ...said, ...of, via });
  expect([(await say(approved)).type, (await say({})).type]).toEqual(['own-request', 'resolved']);
  expect(await verdict(never)).toMatchObject({ verdict: 'denied', by: denied.by });
});

test('A-43: a second verdict, and one on a made-up id, change nothing', async () => {
  const asked = await approvals.ask(question);
  const answer = asked.verdict(never);
  await approvals.resolve(asked.approval.id, { ...approved, ...of });
  expect((await approvals.resolve(asked.approval.id, { ...denied, ...of })).type).toBe('already-resolved');
  expect((await approvals.resolve('ffffffffff', { ...approved, ...of })).type).toBe('unknown');
  expect(await answer).toEqual({ ...approved, givers: [{ by: approved.by, stamp: '1/0' }] });
});

test('P10: an approval lets one start go, also after a restart', async () => {
  const asked = await approvals.ask(question);
  await approvals.resolve(asked.approval.id, { ...approved, ...of });
  const [again] = await restarted().restore();
  expect(await again?.verdict(never)).toMatchObject(approved);
  await again?.use();
  await expect(asked.use()).rejects.toThrow('has let its one start go before');
  expect(await restarted().restore()).toEqual([]);
});

test('A-41: an expired question cannot be approved', async () => {
  const asked = await approvals.ask({ ...question, expiresInMs: 20 });
  await expect(asked.verdict(never)).rejects.toMatchObject({ code: 'approval-expired' });
  expect((await approvals.resolve(asked.approval.id, { ...approved, ...of })).type).toBe('already-resolved');
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
  await approvals.resolve(long.approval.id, { ...approved, ...of });
  expect(await ends[1]).toEqual({ ...approved, givers: [{ by: approved.by, stamp: '1/0' }] });
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
  expect((await approvals.resolve(asked.approval.id, { ...approved, ...of })).type).toBe('already-resolved');
  expect(approvals.pending()).toEqual([]);
});

test('A-46: a restart keeps the question and what came with it, and answers nothing by itself', async () => {
  const { approval } = await approvals.ask(question);
  const after = restarted();
  const [again] = await after.restore();
  expect(again).toMatchObject({ approval, caller: 'relay:host-1', context: '{"kept":true}' });
  expect(after.pending()).toEqual([approval]);
  const answer = again?.verdict(never);
  expect((await after.resolve(approval.id, { ...denied, ...of })).type).toBe('resolved');
  expect(await answer).toEqual(denied);
});

test('A-49: an agent that floods fills only its own share', async () => {
  await approvals.ask(question);
  await approvals.ask(question);
  await expect(approvals.ask(question)).rejects.toMatchObject({ code: 'pending-limit' });
  expect((await approvals.ask({ ...question, agent: 'other' })).approval.agent).toBe('other');
});

test('A-80: an id is 128 random bits, and only the whole of it with the hash that was shown is answered', async () => {
  const { id } = (await approvals.ask(question)).approval;
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  for (let length = 0; length < id.length; length += 1)
    expect(await approvals.resolve(id.slice(0, length), { ...approved, ...of })).toMatchObject({
      type: 'unknown',
    });
  for (const planHash of ['', 'H', 'h ', 'other'])
    expect(await approvals.resolve(id, { ...approved, planHash })).toMatchObject({ type: 'plan-changed' });
  expect(approvals.pending()).toHaveLength(1);
  expect(await approvals.resolve(id, { ...approved, ...of })).toMatchObject({
    type: 'resolved',
    approval: { id },
  });
});

test('A-79: a question of before whose plan is too large to be shown is void after a restart; a small one waits on', async () => {
  const large = { ...question, plan: JSON.stringify({ argv: ['x'.repeat(65_536)], cwd: '/' }) };
  const [first, second] = [(await approvals.ask(large)).approval, (await approvals.ask(question)).approval];
  const restored = await restarted().restore();
  expect(restored.map(({ approval }) => approval)).toEqual([second]);
  expect(await createApprovalStore(database).find(first.id)).toMatchObject({ state: 'void' });
});

test('A-82: a plan with anything not inspected, or that runs a script and may read from a pipe, is approved once and never for a while', async () => {
  const script = { path: 'x.sh', digest: 'ab', file: '/app/x.sh' };
  const unseen = [{ notInspected: 'what sh -c runs' }];
  const plans = [
    { argv: ['sh', '-c', 'true'], stdin: 'none', operands: unseen },
    { argv: ['ls'], stdin: 'none', operands: [script, ...unseen] },
    { argv: ['sh', 'x.sh'], stdin: 'pipe', operands: [script] },
    { argv: ['sh', 'x.sh'], stdin: 'none', scripts: [{ path: 'x.sh' }] },
    { argv: ['sh', 'x.sh'], stdin: 'none', operands: [script] },
    { argv: ['ls'], stdin: 'pipe' },
  ];
  const many = createApprovals(parts(plans.length));
  const types: string[] = [];
  for (const each of plans) {
    const plan = JSON.stringify({ ...each, agent: 'coder', cwd: '/app' });
    const { id } = (await many.ask({ ...question, plan })).approval;
    types.push((await many.resolve(id, { ...approved, ...of, grantMs: 1000 })).type);
    if (types.at(-1) === 'no-grant')
      expect(await many.resolve(id, { ...approved, ...of })).toMatchObject({ type: 'resolved' });
  }
  expect(types).toEqual(['no-grant', 'no-grant', 'no-grant', 'no-grant', 'resolved', 'resolved']);
});

test('A-412 P20: who has granted an agent as much as it may have, is told so, and can say yes once', async () => {
  const { id, agent, planHash, command, rule } = (await approvals.ask(question)).approval;
  const given = {
    agent,
    planHash,
    deed: '',
    command,
    rule,
    execution: 'e',
    by: ['person:admin'],
    stamps: [],
  };
  for (let at = 0; at < grantsPerAgent; at += 1) await grants.give(given, 60_000);
  expect(await approvals.resolve(id, { ...approved, ...of, grantMs: 1000 })).toEqual({
    type: 'no-grant',
    text: 'it can be approved once, and not for a while: agent coder has 200 grants already; revoke those that it needs no more',
  });
  expect(await approvals.resolve(id, { ...approved, ...of })).toMatchObject({ type: 'resolved' });
});

test('a grant holds for the same plan of the same agent, for its time', async () => {
  const { id } = (await approvals.ask(question)).approval;
  await approvals.resolve(id, { ...approved, ...of, grantMs: 50 });
  expect(grants.of('coder', 'h', '')).toMatchObject([{ by: ['person:admin'], execution: 'e', rule: 'r' }]);
  expect([...grants.of('coder', 'other', ''), ...grants.of('other', 'h', '')]).toEqual([]);
  await expect.poll(() => grants.of('coder', 'h', '')).toEqual([]);
});

test('watchers are told of every change, and not before it is on the disk', async () => {
  const seen: string[][] = [];
  const stop = new AbortController();
  approvals.watch(() => seen.push(approvals.pending().map(({ agent }) => agent)), stop.signal);
  const asking = approvals.ask(question);
  expect(approvals.pending()).toEqual([]);
  await approvals.resolve((await asking).approval.id, { ...denied, ...of });
  stop.abort();
  await approvals.ask(question);
  expect(seen).toEqual([['coder'], []]);
});

test.each([
  ['cli', ['cli', 'dashboard', 'chat'], true],
  ['http', ['dashboard'], true],
  ['telegram', ['chat'], true],
  ['slack', ['chat', 'cli'], true],
  ['http', ['cli'], false],
  ['cli', ['dashboard', 'chat'], false],
  ['watch', ['chat'], false],
  ['telegram', undefined, false],
  ['slack', undefined, false],
  ['http', undefined, true],
] as const)('A-141: a yes or a no by %s counts for answer-in %j: %s', async (via, answerIn, counts) => {
  const consent = { approvals: 1, role: 'approver', ...(answerIn && { answerIn }) } as const;
  for (const verdict of ['denied', 'approved'] as const) {
    const { id } = (await approvals.ask({ ...question, agent: verdict, consent })).approval;
    const resolution = await approvals.resolve(id, { ...approved, ...of, verdict, via });
    expect(resolution.type).toBe(counts ? 'resolved' : 'verdict-door');
    expect(approvals.pending().some((each) => each.id === id)).toBe(!counts);
  }
});

test('A-307 P17: of two who say yes the first has left the group meanwhile, and does not count', async () => {
  const left = new Set<string>();
  const known = new Set(['person:ann', 'person:bob', 'person:eve']);
  const approvers: Approvers = {
    ...anyApprover,
    rightOf: (name) => (known.has(name) ? { role: 'admin', stamp: '1/0' } : undefined),
    freshen: async (names) => {
      for (const name of names) if (left.has(name)) known.delete(name);
    },
  };
  const asking = createApprovals({ ...parts(2), approvers });
  const { approval } = await asking.ask({ ...question, consent: { approvals: 2, role: 'approver' } });
  const say = (by: string) => asking.resolve(approval.id, { ...approved, ...of, by });
  expect(await say('person:ann')).toMatchObject({ type: 'noted' });
  left.add('person:ann');
  expect(await say('person:bob')).toMatchObject({ type: 'noted', approval: { missing: 1 } });
  expect(await say('person:eve')).toMatchObject({ type: 'resolved' });
});
