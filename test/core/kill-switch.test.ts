import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { openChannel, operator, readAudit, relay, request, startCore } from './start-core.ts';

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
    expect(await running).toMatchObject({ kind: 'canceled', text: 'killed by operator:admin' });
  }
  await using core = await startCore(dir);
  const execute = createExecute(core);
  expect(await execute(relay, request('run'), openChannel())).toMatchObject({ reason: 'agent-killed' });
  await core.killSwitch.set('coder', 'active', operator, '');
  expect((await execute(relay, request('run'), openChannel())).kind).toBe('exited');
  expect(readAudit(dir).filter(({ type }) => type === 'control')).toMatchObject([
    { agent: 'coder', state: 'killed', by: 'operator:admin', reason: 'frightened' },
    { agent: 'coder', state: 'active' },
  ]);
});

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
  expect(await running).toMatchObject({ kind: 'canceled', text: 'killed by operator:admin' });
  expect(core.states.refusal('coder')).toMatchObject({ code: 'agent-killed' });
});
