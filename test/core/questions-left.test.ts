import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute, createResume, type ExecuteParts } from '../../gateway/execute.ts';
import { Vanished } from '../../gateway/ports/channel.ts';
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

test('A-375 A-46: a yes that comes while a gateway ends is for the next one, also if its caller comes back', async () => {
  const start = request('ask');
  let planHash = '';
  {
    const end = Promise.withResolvers<void>();
    const core = await startCore(dir, async () => {
      await end.promise;
      return { kind: 'exited', code: 7, signal: 0 };
    });
    const running = createExecute(core)(relay, request('run'), openChannel());
    await vi.waitUntil(() => core.ran.length === 1);
    const channel = openChannel();
    void createExecute(core)(relay, start, channel);
    const id = await untilAsked(core);
    planHash = (channel.said[0] as { planHash: string }).planHash;
    let isDrained = false;
    const drained = core.ledger.drain().then(() => {
      isDrained = true;
    });
    channel.leave(new Vanished());
    void resumeIn(core, start.executionId, planHash);
    await approve(core, id);
    await vi.waitUntil(() => readAudit(dir).some(({ type }) => type === 'verdict'));
    // Nothing tells that it does not go on: it would have by then.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([core.ran.length, isDrained]).toEqual([1, false]);
    end.resolve();
    await Promise.all([running, drained]);
    expect(core.ran).toHaveLength(1);
    await close(core);
  }
  await using core = await startCore(dir);
  expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
  expect(await resumeIn(core, start.executionId, planHash)).toMatchObject({ kind: 'exited' });
  expect(core.ran).toEqual(['ask']);
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

/** The yes comes to this gateway, and its one start is not used up. */
function stuckAtUse(core: TestGateway): ExecuteParts {
  const { approvals } = core.authorizing;
  const stuck: typeof approvals = {
    ...approvals,
    ask: async (question) => ({
      ...(await approvals.ask(question)),
      use: () => new Promise<never>(() => {}),
    }),
  };
  return { ...core, authorizing: { ...core.authorizing, approvals: stuck } };
}

async function close(core: TestGateway): Promise<void> {
  await core.records.audit.close();
  await core.history.close();
}

async function resumeIn(core: TestGateway, executionId: string, planHash: string) {
  return await createResume(core.ledger)(relay, { executionId, planHash }, openChannel());
}

test.each([['killed'], ['paused'], ['lockdown']] as const)(
  'A-304 P19: a question that was restored is not run for an agent that is stopped (%s)',
  async (stop) => {
    const start = request('ask');
    {
      const core = await startCore(dir);
      void createExecute(core)(relay, start, openChannel());
      await untilAsked(core);
      await close(core);
    }
    await using core = await startCore(dir);
    // As a start takes it from the audit, if the database was full when it was set.
    const status = { by: 'person:admin', reason: '', since: Date.now() };
    if (stop === 'lockdown') {
      core.states.enforce('', { state: 'paused', ...status });
      core.states.enforce('coder', { state: 'refused', ...status, by: 'breaker:stuck' });
    } else core.states.enforce('coder', { state: stop, ...status });
    expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
    const planHash = core.approvals.pending()[0]?.planHash ?? '';
    await approve(core, await untilAsked(core));
    const reason = stop === 'killed' ? 'agent-killed' : 'agent-paused';
    expect(await resumeIn(core, start.executionId, planHash)).toMatchObject({ reason });
    expect(core.ran).toEqual([]);
  },
);

test('a breaker that refuses new work lets a question go on that was asked before', async () => {
  await using core = await startCore(dir);
  const running = createExecute(core)(relay, request('ask'), openChannel());
  const id = await untilAsked(core);
  core.killSwitch.trip('coder', { breaker: 'stuck', state: 'refused', reason: 'again and again' });
  await approve(core, id);
  expect([await running, core.ran]).toMatchObject([{ kind: 'exited' }, ['ask']]);
});

test.each([['pending'], ['approved']] as const)(
  'A-305 P15: what has run is not asked about or run again if an older copy of the database is put back (%s)',
  async (state) => {
    const copy = join(dir, 'copy');
    const start = request('ask');
    let planHash = '';
    {
      const core = await startCore(dir);
      void createExecute(stuckAtUse(core))(relay, start, openChannel());
      const id = await untilAsked(core);
      planHash = core.approvals.pending()[0]?.planHash ?? '';
      if (state === 'approved') await approve(core, id);
      if (state === 'approved') await vi.waitUntil(() => core.ledger.running()[0]?.state === 'queued');
      await core[Symbol.asyncDispose]();
      cpSync(join(dir, 'clawrden.db'), copy);
    }
    {
      await using core = await startCore(dir);
      expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
      if (state === 'pending') await approve(core, await untilAsked(core));
      expect(await resumeIn(core, start.executionId, planHash)).toMatchObject({ kind: 'exited' });
      expect(core.ran).toEqual(['ask']);
    }
    cpSync(copy, join(dir, 'clawrden.db'));
    await using core = await startCore(dir);
    expect(await restoreWaiting(core, core.approvals, core.records)).toBe(0);
    expect(core.approvals.pending()).toEqual([]);
    expect(await resumeIn(core, start.executionId, planHash)).not.toMatchObject({ kind: 'exited' });
    expect(core.ran).toEqual([]);
    expect(await core.approvals.restore()).toEqual([]);
  },
);

test('A-305 P25: a question that an older copy asks again has its own verdict in the audit', async () => {
  const copy = join(dir, 'copy');
  const start = request('ask');
  {
    const core = await startCore(dir);
    void createExecute(core)(relay, start, openChannel());
    await untilAsked(core);
    await core[Symbol.asyncDispose]();
    cpSync(join(dir, 'clawrden.db'), copy);
  }
  const verdicts = () => readAudit(dir).filter(({ type }) => type === 'verdict');
  {
    const core = await startCore(dir);
    await restoreWaiting(core, core.approvals, core.records);
    // Nobody has come back for it: it is not started.
    await approve(core, await untilAsked(core));
    await vi.waitUntil(() => verdicts().length === 1);
    await core[Symbol.asyncDispose]();
  }
  cpSync(copy, join(dir, 'clawrden.db'));
  await using core = await startCore(dir);
  expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
  await approve(core, await untilAsked(core));
  await vi.waitUntil(() => verdicts().length === 2);
});
