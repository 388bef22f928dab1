import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { revokeGrant } from '../../gateway/control/revoke-grant.ts';
import { createExecute, createResume } from '../../gateway/execute.ts';
import { returnWithinMs } from '../../gateway/execution/execution.ts';
import type { Executor } from '../../gateway/executors/executor.ts';
import { factsOf } from '../../gateway/judging/judge.ts';
import { Vanished } from '../../gateway/ports/channel.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { abortable } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Plan } from '../../src/plan.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import {
  openChannel,
  operator,
  readAudit,
  relay,
  request,
  startCore,
  type TestGateway,
} from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

test.each([1, 2, 3, 10, 12, 15])(
  'A-520: signal %i before the start ends it as by that signal',
  async (signal) => {
    await using core = await startCore(dir);
    const channel = openChannel();
    const running = createExecute(core)(relay, request('ask'), channel);
    await vi.waitUntil(() => core.approvals.pending().length === 1);
    channel.type({ type: 'signal', signal: 18 });
    channel.type({ type: 'signal', signal });
    expect(await running).toEqual({ kind: 'interrupted', signal });
    expect(core.ran).toEqual([]);
  },
);

async function untilAsked(core: TestGateway): Promise<string> {
  await vi.waitUntil(() => core.approvals.pending().length === 1);
  return core.approvals.pending()[0]?.id ?? '';
}

/** Answers like a person who was shown it. */
async function approve(core: TestGateway, id: string) {
  const planHash = core.approvals.pending().find((each) => each.id === id)?.planHash ?? 'gone';
  return await core.approvals.resolve(id, { ...yes, planHash });
}

const yes = { verdict: 'approved', by: 'person:admin', via: 'api', reason: '' } as const;

test('A-82: a grant does not answer for the person who gave it', async () => {
  const tools = '  rm: { strategy: ghost, image: "i", stdin: none }\n';
  const ask = '  - { name: asked, tools: [rm], action: ask }\n';
  const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
  await using given = await startCore(dir, undefined, undefined, ask, tools);
  const core = { ...given, obtainImage: () => Promise.resolve(facts) };
  const start = () => request('rm', { agent: '' });
  const bob = { ...operator, name: 'bob' };
  const first = createExecute(core)(bob, start(), openChannel());
  const id = await untilAsked(core);
  const planHash = core.approvals.pending()[0]?.planHash ?? '';
  await core.approvals.resolve(id, { ...yes, planHash, grantMs: 60_000 });
  expect(await first).toMatchObject({ kind: 'exited' });
  expect(await createExecute(core)(bob, start(), openChannel())).toMatchObject({ kind: 'exited' });
  const channel = openChannel();
  const own = createExecute(core)(operator, start(), channel);
  await untilAsked(core);
  channel.leave(new ClawrdenError('canceled', 'left'));
  expect(await own).toMatchObject({ kind: 'canceled' });
});

test('P10: what waits to start by a grant that is revoked is refused, what runs by it goes on, and the next is asked', async () => {
  const tools = '  rm: { strategy: ghost, image: "i", stdin: none }\n';
  const ask = '  - { name: asked, tools: [rm], action: ask }\n';
  const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
  const end = Promise.withResolvers<void>();
  await using given = await startCore(dir, undefined, undefined, ask, tools);
  const places = [Promise.resolve(), Promise.resolve(), new Promise<void>(() => {})];
  const ghost: Executor = async (_permit, execution) => {
    execution.queued();
    await abortable(places.shift() ?? Promise.resolve(), execution.signal);
    return async () => {
      execution.started();
      await end.promise;
      return { kind: 'exited', code: 0, signal: 0 };
    };
  };
  const executors = { ...given.executors, ghost };
  const core = { ...given, executors, obtainImage: () => Promise.resolve(facts) };
  const start = () => createExecute(core)(relay, request('rm'), openChannel());
  const first = start();
  const id = await untilAsked(core);
  const planHash = core.approvals.pending()[0]?.planHash ?? '';
  await core.approvals.resolve(id, { ...yes, planHash, grantMs: 60_000 });
  const [runs, waits] = [start(), start()];
  const states = () => core.ledger.running().map(({ state }) => state);
  await vi.waitUntil(() => states().join() === 'running,running,queued');
  const [grant] = core.grants.list();
  expect(grant).toMatchObject({ agent: 'coder', command: { argv: ['rm'] }, rule: 'asked', by: [yes.by] });
  await revokeGrant(grant?.id ?? '', 'person:zoe', 'enough', core);
  expect(await waits).toMatchObject({
    kind: 'denied',
    reason: 'denied-by-person',
    text: expect.stringContaining('person:zoe revoked'),
  });
  const next = openChannel();
  const asked = createExecute(core)(relay, request('rm'), next);
  await untilAsked(core);
  next.leave(new ClawrdenError('canceled', 'left'));
  end.resolve();
  expect([await first, await runs, await asked]).toMatchObject([
    { kind: 'exited' },
    { kind: 'exited' },
    { kind: 'canceled' },
  ]);
  expect(readAudit(dir).filter(({ type }) => type === 'grant')).toMatchObject([
    { event: 'given', grant: grant?.id, by: yes.by },
    { event: 'revoked', grant: grant?.id, by: 'person:zoe', reason: 'enough' },
  ]);
});

test('P10 A-46: a first yes outlives a restart, starts nothing, and is in the audit; the second one lets it run', async () => {
  const rule = '  - { name: both, tools: [ask], action: ask, approvals: 2, approvers: { role: operator } }\n';
  const core = await startCore(dir, undefined, undefined, rule);
  const start = request('ask');
  const first = openChannel();
  void createExecute(core)(relay, start, first);
  const id = await untilAsked(core);
  const { planHash = '' } = core.approvals.pending()[0] ?? {};
  const say = (from: TestGateway, by: string) => from.approvals.resolve(id, { ...yes, planHash, by });
  expect(await say(core, 'person:ann')).toMatchObject({ type: 'noted', approval: { missing: 1 } });
  first.leave(new Vanished());
  await core[Symbol.asyncDispose]();
  await using next = await startCore(dir, undefined, undefined, rule);
  expect(await restoreWaiting(next, next.approvals, next.records)).toBe(1);
  expect(next.approvals.pending()).toMatchObject([
    { missing: 1, consent: { approvals: 2 }, yeses: [{ by: 'person:ann', counts: true }] },
  ]);
  expect(await say(next, 'person:ann')).toMatchObject({ type: 'noted', approval: { missing: 1 } });
  const again = openChannel();
  const resumed = createResume(next.ledger)(relay, { executionId: start.executionId, planHash }, again);
  expect(next.ran).toEqual([]);
  expect(await say(next, 'person:bob')).toMatchObject({ type: 'resolved', approval: { missing: 0 } });
  expect(await resumed).toEqual({ kind: 'exited', code: 7, signal: 0 });
  const told = readAudit(dir).filter(({ type }) => type === 'yes' || type === 'verdict');
  expect(told).toMatchObject([
    { type: 'yes', approval: id, by: 'person:ann', given: 1, needed: 2, planHash },
    { type: 'yes', approval: id, by: 'person:ann', given: 1, needed: 2 },
    { type: 'verdict', verdict: 'approved', by: 'person:ann, person:bob' },
  ]);
});

test('P10: two who say yes do not suffice if the policy needs three by then', async () => {
  const rule = (count: number) => `  - { name: all, tools: [ask], action: ask, approvals: ${count} }\n`;
  await using core = await startCore(dir, undefined, undefined, rule(2));
  const now = parsePolicy(sharedPolicy(rule(3)), 'policy.yaml');
  if (!('policy' in now)) throw new Error('no policy');
  const decideAgain = (plan: Plan) => decide(now.policy, factsOf(plan, core.agents()));
  const changed = { ...core, authorizing: { ...core.authorizing, decideAgain } };
  const running = createExecute(changed)(relay, request('ask'), openChannel());
  const id = await untilAsked(core);
  const { planHash = '' } = core.approvals.pending()[0] ?? {};
  for (const by of ['person:ann', 'person:bob']) await core.approvals.resolve(id, { ...yes, planHash, by });
  expect(await running).toMatchObject({ reason: 'policy-changed' });
  expect(core.ran).toEqual([]);
});

test('a caller that was cut off while a person is asked comes back and has its command run, once', async () => {
  await using core = await startCore(dir);
  const start = request('ask');
  const first = openChannel();
  const running = createExecute(core)(relay, start, first);
  const id = await untilAsked(core);
  first.leave(new Vanished());
  await approve(core, id);
  await vi.waitUntil(() => readAudit(dir).some(({ type }) => type === 'verdict'));
  expect(core.ran).toEqual([]);
  const second = openChannel();
  const { planHash } = first.said.find(({ type }) => type === 'pending') as { planHash: string };
  const resumed = createResume(core.ledger)(relay, { executionId: start.executionId, planHash }, second);
  expect(await resumed).toEqual({ kind: 'exited', code: 7, signal: 0 });
  expect(await running).toEqual(await resumed);
  expect(core.ran).toEqual(['ask']);
});

test.each(['canceled', 'requester-gone'] as const)(
  'A-45: %s while a person is asked: the question is void',
  async (code) => {
    await using core = await startCore(dir);
    const channel = openChannel();
    const running = createExecute(core)(relay, request('ask'), channel);
    const id = await untilAsked(core);
    channel.leave(new ClawrdenError(code, 'left'));
    expect(await running).toMatchObject({ kind: 'canceled', reason: code });
    expect((await approve(core, id)).type).toBe('already-resolved');
    expect(readAudit(dir).find(({ type }) => type === 'verdict')).toMatchObject({ verdict: 'void' });
  },
);

test('A-46: a gateway that ends well leaves what waits to the next one, and does not wait for it', async () => {
  const start = request('ask');
  let planHash = '';
  {
    const core = await startCore(dir);
    const channel = openChannel();
    void createExecute(core)(relay, start, channel);
    const id = await untilAsked(core);
    planHash = (channel.said[0] as { planHash: string }).planHash;
    core.ledger.stopRunning(new ClawrdenError('canceled', 'the gateway is shutting down'));
    await core.ledger.drain();
    await approve(core, id);
    await vi.waitUntil(() => readAudit(dir).some(({ type }) => type === 'verdict'));
    channel.leave(new Vanished());
    expect(core.ran).toEqual([]);
    await core.records.audit.close();
    await core.history.close();
  }
  await using core = await startCore(dir);
  expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
  const resume = createResume(core.ledger);
  const outcome = await resume(relay, { executionId: start.executionId, planHash }, openChannel());
  expect(outcome).toMatchObject({ kind: 'exited' });
  expect(core.ran).toEqual(['ask']);
});

test('A-46: after a restart nothing runs until the caller is back, with the plan it was told', async () => {
  const start = request('ask');
  let planHash = '';
  {
    const core = await startCore(dir);
    const channel = openChannel();
    void createExecute(core)(relay, start, channel);
    await untilAsked(core);
    planHash = (channel.said[0] as { planHash: string }).planHash;
    await core.records.audit.close();
    await core.history.close();
  }
  await using core = await startCore(dir);
  expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
  const resume = createResume(core.ledger);
  const wrong = await resume(relay, { executionId: start.executionId, planHash: 'other' }, openChannel());
  expect(wrong).toMatchObject({ reason: 'resume-void' });
  await approve(core, await untilAsked(core));
  expect(core.ran).toEqual([]);
  const outcome = await resume(relay, { executionId: start.executionId, planHash }, openChannel());
  expect(outcome).toMatchObject({ kind: 'exited' });
  expect(core.ran).toEqual(['ask']);
});

test('A-46: a caller that does not come back after a restart leaves its question void', async () => {
  {
    const core = await startCore(dir);
    void createExecute(core)(relay, request('ask'), openChannel());
    await untilAsked(core);
    await core.records.audit.close();
    await core.history.close();
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await using core = await startCore(dir);
  await restoreWaiting(core, core.approvals, core.records);
  expect(core.approvals.pending()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(returnWithinMs + 1);
  vi.useRealTimers();
  await vi.waitUntil(() => core.ledger.executions().length === 0);
  expect(core.approvals.pending()).toEqual([]);
  expect(core.ran).toEqual([]);
});

test('A-46: an approval whose caller never came back stays approved and unused, and its execution ends canceled', async () => {
  await using core = await startCore(dir);
  const channel = openChannel();
  const running = createExecute(core)(relay, request('ask'), channel);
  const id = await untilAsked(core);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  channel.leave(new Vanished());
  expect((await approve(core, id)).type).toBe('resolved');
  await vi.advanceTimersByTimeAsync(returnWithinMs + 1);
  vi.useRealTimers();
  expect(await running).toMatchObject({ kind: 'canceled', reason: 'requester-gone' });
  expect(core.ran).toEqual([]);
  await vi.waitUntil(() => readAudit(dir).some(({ type }) => type === 'outcome'));
  expect(readAudit(dir).filter(({ type }) => type === 'verdict')).toMatchObject([{ verdict: 'approved' }]);
  const [kept] = await core.approvals.restore();
  expect(kept?.approval.id).toBe(id);
  expect(await kept?.verdict(new AbortController().signal)).toMatchObject(yes);
});
