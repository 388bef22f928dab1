import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute, createResume } from '../../gateway/execute.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { openChannel, readAudit, relay, request, startCore, type TestGateway } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

async function untilAsked(core: TestGateway): Promise<string> {
  await vi.waitUntil(() => core.approvals.pending().length === 1);
  return core.approvals.pending()[0]?.id ?? '';
}

async function approve(core: TestGateway, id: string) {
  const planHash = core.approvals.pending()[0]?.planHash ?? '';
  const yes = { verdict: 'approved', by: 'person:admin', via: 'api', reason: '' } as const;
  return await core.approvals.resolve(id, { ...yes, planHash });
}

test('A-46: a gateway that ends waits for what was let go after a yes, from the use of its one start on', async () => {
  const [using, used, end] = [0, 0, 0].map(() => Promise.withResolvers<void>());
  // A mirrored command, whose relay has not told its start yet.
  await using core = await startCore(dir, async () => {
    await end?.promise;
    return { kind: 'exited', code: 7, signal: 0 };
  });
  const { approvals } = core.authorizing;
  const slow: typeof approvals = {
    ...approvals,
    ask: async (question) => {
      const asked = await approvals.ask(question);
      const use = async () => {
        using?.resolve();
        await used?.promise;
        await asked.use();
      };
      return { ...asked, use };
    },
  };
  const parts = { ...core, authorizing: { ...core.authorizing, approvals: slow } };
  const running = createExecute(parts)(relay, request('ask'), openChannel());
  await approve(core, await untilAsked(core));
  await using?.promise;
  let isDrained = false;
  const drained = core.ledger.drain().then(() => {
    isDrained = true;
  });
  await new Promise(setImmediate);
  expect([isDrained, core.ran]).toEqual([false, []]);
  used?.resolve();
  await vi.waitUntil(() => core.ran.length === 1);
  await new Promise(setImmediate);
  expect(isDrained).toBe(false);
  end?.resolve();
  expect(await running).toMatchObject({ kind: 'exited', code: 7 });
  await drained;
});

test('A-46: a gateway that ended between the yes and its use leaves it to the next one, whatever the history says', async () => {
  const start = request('ask');
  let planHash = '';
  {
    const core = await startCore(dir);
    const channel = openChannel();
    const never = new Promise<never>(() => {});
    const { approvals } = core.authorizing;
    const stuck: typeof approvals = {
      ...approvals,
      ask: async (question) => ({ ...(await approvals.ask(question)), use: () => never }),
    };
    const parts = { ...core, authorizing: { ...core.authorizing, approvals: stuck } };
    void createExecute(parts)(relay, start, channel);
    await approve(core, await untilAsked(core));
    planHash = (channel.said[0] as { planHash: string }).planHash;
    await vi.waitUntil(() => core.ledger.running()[0]?.state === 'queued');
    await core.records.audit.close();
    await core.history.close();
  }
  await using core = await startCore(dir);
  expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
  const resume = createResume(core.ledger);
  const outcome = await resume(relay, { executionId: start.executionId, planHash }, openChannel());
  expect([outcome, core.ran]).toMatchObject([{ kind: 'exited' }, ['ask']]);
});

test('A-46: a question whose command waits no more is void after a restart, and nobody is asked', async () => {
  const start = request('ask');
  {
    const core = await startCore(dir);
    void createExecute(core)(relay, start, openChannel());
    await untilAsked(core);
    const record = await core.history.get('relay:host-1', start.executionId);
    if (record === undefined) throw new Error('no record');
    core.history.save({ ...record, state: 'ended', endedAt: Date.now(), outcome: 'canceled' });
    await core.records.audit.close();
    await core.history.close();
  }
  await using core = await startCore(dir);
  expect(await restoreWaiting(core, core.approvals, core.records)).toBe(0);
  expect(core.approvals.pending()).toEqual([]);
  expect(readAudit(dir).filter(({ type }) => type === 'verdict')).toMatchObject([
    { execution: start.executionId, verdict: 'void', reason: 'its command waits no more' },
  ]);
  expect(await core.approvals.restore()).toEqual([]);
});
