import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { createMirror } from '../../gateway/executors/mirror.ts';
import { Vanished } from '../../gateway/ports/channel.ts';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Outcome } from '../../src/outcome.ts';
import { openChannel, operator, type RunPermit, readAudit, relay, request, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

test('A-72: a killed agent is refused, its work ends, and it stays killed after a restart', async () => {
  {
    await using core = await startCore(
      dir,
      (_permit, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    );
    const running = createExecute(core)(relay, request('run'), openChannel());
    await vi.waitUntil(() => core.ran.length === 1);
    expect(await core.killSwitch.set('coder', 'killed', operator, 'frightened')).toEqual({
      stopped: 1,
      unconfirmed: [],
    });
    expect(await running).toMatchObject({ kind: 'canceled', text: 'killed by person:admin' });
  }
  await using core = await startCore(dir);
  const execute = createExecute(core);
  expect(await execute(relay, request('run'), openChannel())).toMatchObject({ reason: 'agent-killed' });
  await core.killSwitch.set('coder', 'active', operator, '');
  expect((await execute(relay, request('run'), openChannel())).kind).toBe('exited');
  expect(readAudit(dir).filter(({ type }) => type === 'control')).toMatchObject([
    { agent: 'coder', state: 'killed', by: 'person:admin', reason: 'frightened' },
    { agent: 'coder', state: 'active' },
  ]);
});

test('A-383 P19: a pause of a killed agent changes nothing and says so; who killed it stays', async () => {
  await using core = await startCore(dir);
  await core.killSwitch.set('coder', 'killed', operator, 'frightened');
  await expect(core.killSwitch.set('coder', 'paused', operator, 'wait')).rejects.toMatchObject({
    code: 'agent-killed',
    message: 'nothing has changed: coder is killed, which is stricter',
  });
  expect(core.states.stopOf('coder')).toMatchObject({ state: 'killed', reason: 'frightened' });
  expect(readAudit(dir).filter(({ type }) => type === 'control')).toHaveLength(1);
});

test.each([
  ['killed', 'waits for its turn'],
  ['killed', 'is being recorded'],
  ['paused', 'waits for its turn'],
  ['paused', 'is being recorded'],
] as const)(
  'A-405 P19: a pause of a %s agent whose resume %s stops that resume, also for the next gateway',
  async (state, when) => {
    const stop = { state, reason: state === 'killed' ? 'frightened' : 'wait' };
    {
      await using core = await startCore(dir);
      const { audit } = core.records;
      await core.killSwitch.set('coder', state, operator, 'frightened');
      const { append } = audit;
      const { promise: slow, resolve: go } = Promise.withResolvers<void>();
      const appending = vi.spyOn(audit, 'append').mockImplementation(async (record) => {
        await slow;
        return append(record);
      });
      const set = (now: 'active' | 'paused', reason: string) =>
        core.killSwitch.set('coder', now, operator, reason).catch((error: unknown) => error);
      const resumed = set('active', '');
      if (when === 'is being recorded') await vi.waitUntil(() => appending.mock.calls.length === 1);
      const paused = set('paused', 'wait');
      go();
      expect(await resumed).toMatchObject({ message: 'it was stopped once more meanwhile' });
      expect(await paused).toMatchObject(state === 'killed' ? { code: 'agent-killed' } : { stopped: 0 });
      expect(core.states.stopOf('coder')).toMatchObject(stop);
    }
    await using core = await startCore(dir);
    expect(core.states.stopOf('coder')).toMatchObject(stop);
    expect(readAudit(dir).findLast(({ type }) => type === 'control')).toMatchObject(stop);
    const resuming = [1, 2].map(() => core.killSwitch.set('coder', 'active', operator, ''));
    await Promise.all(resuming);
    expect(core.states.stopOf('coder')).toBeUndefined();
  },
);

test('P19: what may still run on a host that is lost is not confirmed, for the agent that it is of', async () => {
  await using core = await startCore(dir);
  const start = request('run');
  await createExecute(core)(relay, start, openChannel());
  const record = await core.history.find(start.executionId);
  core.lost.push({ ...record!, host: 'build-2' });
  const mine = `${start.executionId} on build-2`;
  expect(await core.killSwitch.set('coder', 'killed', operator, '')).toEqual({
    stopped: 0,
    unconfirmed: [mine],
  });
  expect((await core.killSwitch.set('other', 'paused', operator, '')).unconfirmed).toEqual([]);
  expect((await core.killSwitch.lockdown(true, operator, '')).unconfirmed).toEqual([mine]);
  expect((await core.killSwitch.set('coder', 'active', operator, '')).unconfirmed).toEqual([]);
});

/** A gateway on which each permit becomes a mirrored command that its relay is told to run. */
function startMirroring() {
  const onVanished: ((record: ExecutionRecord) => void)[] = [];
  const run: RunPermit = async (permit, execution) => {
    const parts = { recordStart: () => {}, onVanished: (record: ExecutionRecord) => onVanished[0]!(record) };
    return await (await createMirror(parts)(permit, execution))();
  };
  return startCore(dir, run).then((core) => {
    onVanished.push(core.killSwitch.relayVanished);
    return core;
  });
}

test('P19: a mirrored command whose relay vanished is not confirmed for 15 s; one that was canceled or ended is', async () => {
  await using core = await startMirroring();
  const begin = async () => {
    const channel = openChannel();
    const start = request('run');
    const ended = createExecute(core)(relay, start, channel);
    await vi.waitUntil(() => channel.said.some(({ type }) => type === 'run-here'));
    return { channel, ended, name: `${start.executionId} on its agent host` };
  };
  const kill = async (agent = 'coder') => {
    const { unconfirmed } = await core.killSwitch.set(agent, 'killed', operator, '');
    await core.killSwitch.set(agent, 'active', operator, '');
    return unconfirmed;
  };
  const [ended, canceled, vanished] = [await begin(), await begin(), await begin()];
  ended.channel.type({
    ...{ type: 'mirror-end', usage: undefined },
    outcome: { kind: 'exited', code: 0, signal: 0 },
  });
  canceled.channel.leave(new ClawrdenError('requester-gone', 'the shim is gone'));
  await Promise.all([ended.ended, canceled.ended]);
  vanished.channel.leave(new Vanished());
  expect(await vanished.ended).toMatchObject({ text: 'the caller went away' });
  expect(await kill()).toEqual([vanished.name]);
  expect(await kill('other')).toEqual([]);
  // An agent that keeps losing its relay is named by its newest only, and stays unconfirmed.
  for (let index = 0; index < 300; index += 1)
    core.killSwitch.relayVanished({ id: `${index}`, agent: 'coder', host: 'h' } as ExecutionRecord);
  expect(await kill()).toHaveLength(100);
  const now = performance.now();
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    vi.advanceTimersByTime(now + 14_000);
    expect(performance.now()).toBeGreaterThan(now + 13_000);
    expect(await kill()).toHaveLength(100);
    vi.advanceTimersByTime(2_000);
    expect(await kill()).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('P19: after a restart a mirrored command that was not seen to end is not confirmed, and a question is', async () => {
  const [run, asked, over] = [request('run'), request('ask'), request('run')];
  {
    await using core = await startMirroring();
    const execute = createExecute(core);
    const [open, closed] = [openChannel(), openChannel()];
    void execute(relay, run, open);
    void execute(relay, asked, openChannel());
    const ended = execute(relay, over, closed);
    const said = ({ said: all }: typeof open) => all.some(({ type }) => type === 'run-here');
    await vi.waitUntil(() => said(open) && said(closed) && core.approvals.pending().length === 1);
    const outcome = { kind: 'exited', code: 0, signal: 0 } as const;
    closed.type({ type: 'mirror-end', usage: undefined, outcome });
    await ended;
  }
  await using core = await startCore(dir);
  expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
  const { unconfirmed } = await core.killSwitch.set('coder', 'killed', operator, '');
  expect(unconfirmed).toEqual([`${run.executionId} on its agent host`]);
});

test('P19: after restarts a mirrored command whose relay vanished, or which a killed gateway ran, is not confirmed for 15 s', async () => {
  const [vanished, open, canceled] = [request('run'), request('run'), request('run')];
  {
    await using core = await startMirroring();
    const begin = async (start: typeof open) => {
      const channel = openChannel();
      const ended = createExecute(core)(relay, start, channel);
      await vi.waitUntil(() => channel.said.some(({ type }) => type === 'run-here'));
      return { channel, ended };
    };
    const [cut, shimGone] = [await begin(vanished), await begin(canceled)];
    await begin(open);
    cut.channel.leave(new Vanished());
    shimGone.channel.leave(new ClawrdenError('canceled', 'the shim is gone'));
    await Promise.all([cut.ended, shimGone.ended]);
  }
  const restart = async () => {
    await using core = await startCore(dir);
    await restoreWaiting(core, core.approvals, core.records);
    return (await core.killSwitch.lockdown(true, operator, '')).unconfirmed.toSorted();
  };
  const both = [`${vanished.executionId} on host-1`, `${open.executionId} on its agent host`].toSorted();
  expect(await restart()).toEqual(both);
  expect(await restart()).toEqual(both);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60_000 });
  try {
    expect(await restart()).toEqual(both);
    vi.setSystemTime(Date.now() + 90_000);
    expect(await restart()).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('P19: after restarts a command that was not seen to end, on a host that gateway.yaml names no more, is not confirmed', async () => {
  const [lost, there, over] = [request('run'), request('run'), request('run')];
  {
    const outcomes: Promise<Outcome>[] = [new Promise(() => {}), new Promise(() => {})];
    const exited = { kind: 'exited', code: 0, signal: 0 } as const;
    await using core = await startCore(dir, (_permit, execution) => {
      execution.started();
      return outcomes.shift() ?? Promise.resolve(exited);
    });
    for (const [start, host] of [
      [lost, 'build-9'],
      [there, 'build-1'],
      [over, 'build-9'],
    ] as const) {
      void createExecute(core)(relay, start, openChannel());
      const state = start === over ? 'ended' : 'running';
      await vi.waitUntil(async () => (await core.history.find(start.executionId))?.state === state);
      const record = await core.history.find(start.executionId);
      // As if it had run in a container: no engine is here.
      core.history.save({ ...record!, strategy: 'ghost', host, container: start.executionId });
    }
  }
  for (const _ of [1, 2]) {
    await using core = await startCore(dir);
    await restoreWaiting(core, core.approvals, core.records);
    expect(await core.killSwitch.set('coder', 'paused', operator, '')).toEqual({
      ...{ stopped: 0, unconfirmed: [`${lost.executionId} on build-9`] },
    });
    expect((await core.killSwitch.set('other', 'paused', operator, '')).unconfirmed).toEqual([]);
  }
});

test('P19: a host where nothing was removed since the start is named, whichever agent is stopped', async () => {
  await using core = await startCore(dir);
  core.uncleanedHosts.push('build-2');
  const named = ['what an earlier gateway left on build-2'];
  expect((await core.killSwitch.set('coder', 'paused', operator, '')).unconfirmed).toEqual(named);
  core.uncleanedHosts.pop();
  expect((await core.killSwitch.set('coder', 'killed', operator, '')).unconfirmed).toEqual([]);
});

test('P19: what ended before and is not taken away yet is not confirmed', async () => {
  await using core = await startCore(dir, (_permit, execution) => {
    execution.clean(new Promise(() => {}));
    return Promise.resolve({ kind: 'exited', code: 7, signal: 0 });
  });
  const start = request('run');
  expect((await createExecute(core)(relay, start, openChannel())).kind).toBe('exited');
  expect(await core.killSwitch.set('coder', 'killed', operator, '')).toEqual({
    stopped: 0,
    unconfirmed: [`${start.executionId} on its agent host`],
  });
});

test('P19: what cannot be recorded is in force all the same, and that is said', async () => {
  await using core = await startCore(
    dir,
    (_permit, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  );
  const running = createExecute(core)(relay, request('run'), openChannel());
  await vi.waitUntil(() => core.ran.length === 1);
  await core.records.audit.close();
  await expect(core.killSwitch.set('coder', 'killed', operator, '')).rejects.toMatchObject({
    ...{
      code: 'audit-unwritable',
      message: expect.stringMatching(
        /^it is in force, and outlives a restart, and the audit has no record of it: /,
      ),
    },
  });
  expect(await running).toMatchObject({ kind: 'canceled', text: 'killed by person:admin' });
  expect(core.states.refusal('coder')).toMatchObject({ code: 'agent-killed' });
});
