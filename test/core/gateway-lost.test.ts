import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuditRecord } from '../../gateway/audit/audit-record.ts';
import { resultOf } from '../../gateway/detached/result-of-record.ts';
import { createExecute } from '../../gateway/execute.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { openChannel, readAudit, relay, request, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

const never = () => new Promise<never>(() => {});

function outcomesOf(id: string): unknown[] {
  return readAudit(dir).filter(({ type, execution }) => type === 'outcome' && execution === id);
}

test('P15 P25: what a killed gateway left running ends once at the next start, in the audit and in the history', async () => {
  const start = request('run');
  {
    await using core = await startCore(dir, never);
    void createExecute(core)(relay, start, openChannel());
    await vi.waitUntil(() => core.ran.length === 1);
  }
  for (const _ of [1, 2]) {
    await using core = await startCore(dir);
    expect(await restoreWaiting(core, core.approvals, core.records)).toBe(0);
    expect(outcomesOf(start.executionId)).toMatchObject([
      { outcome: 'failed', code: 125, reason: 'gateway-lost', agent: 'coder' },
    ]);
    expect(await core.history.find(start.executionId)).toMatchObject({
      ...{ state: 'ended', outcome: 'failed', exitCode: 125, reason: 'gateway-lost' },
    });
  }
});

/** A gateway that was killed before its history was written: only the audit is left. */
async function killedAtOnce(id: string, ...more: object[]): Promise<void> {
  await using core = await startCore(dir);
  const ids = { execution: id, caller: 'relay:host-1', agent: 'coder' };
  const what = { argv: ['run'], cwd: '/app', uid: 1000, gid: 1000, strategy: 'ghost', planHash: 'h' };
  const decision = { type: 'decision', decision: 'allow', rule: 'may-run', reason: 'so', ...what };
  for (const record of [decision, ...more]) {
    await core.records.audit.append({ ...ids, ...record } as AuditRecord);
  }
}

test('P15: an id that only the audit knows is ended there, and starts nothing again', async () => {
  const start = request('run');
  await killedAtOnce(start.executionId);
  await using core = await startCore(dir);
  await restoreWaiting(core, core.approvals, core.records);
  expect(outcomesOf(start.executionId)).toMatchObject([{ reason: 'gateway-lost' }]);
  expect(await createExecute(core)(relay, start, openChannel())).toMatchObject({ reason: 'id-duplicate' });
  expect(core.ran).toEqual([]);
});

test('an end that only the audit knows is told by the history, and not told again', async () => {
  const start = request('run');
  const end = { outcome: 'exited', code: 3, signal: 0, reason: '', text: '', stdoutBytes: 5, stderrBytes: 0 };
  await killedAtOnce(start.executionId, { type: 'outcome', ...end });
  await using core = await startCore(dir);
  await restoreWaiting(core, core.approvals, core.records);
  expect(outcomesOf(start.executionId)).toHaveLength(1);
  expect(await core.history.find(start.executionId)).toMatchObject({
    ...{ state: 'ended', outcome: 'exited', exitCode: 3, stdoutBytes: 5 },
  });
});

const startRecord = {
  type: 'start',
  host: 'gone-9',
  container: 'c-9',
  planHash: 'h',
  approver: 'person:ann',
};

test('A-540 P15 P19: the history takes over a start that only the audit knows, and its host may still run it', async () => {
  const [withRow, without] = [request('run'), request('run')];
  {
    await using core = await startCore(dir, never);
    void createExecute(core)(relay, withRow, openChannel());
    await vi.waitUntil(() => core.ran.length === 1);
    const ids = { execution: withRow.executionId, caller: 'relay:host-1', agent: 'coder' };
    await core.records.audit.append({ ...ids, ...startRecord } as AuditRecord);
  }
  await killedAtOnce(without.executionId, startRecord);
  await using core = await startCore(dir);
  await restoreWaiting(core, core.approvals, core.records);
  for (const { executionId } of [withRow, without]) {
    expect(await core.history.find(executionId)).toMatchObject({
      ...{ state: 'ended', reason: 'gateway-lost', decision: 'allow', host: 'gone-9', container: 'c-9' },
      ...{ approver: 'person:ann', startedAt: expect.any(Number) },
    });
  }
  // The other one is mirrored.
  expect(core.lost.map(({ id }) => id)).toEqual([without.executionId]);
});

test.each(['denied', 'approved'] as const)(
  'A-546 P25: that a person has %s it is in the audit, once, also if the gateway was killed before it was recorded',
  async (verdict) => {
    const start = request('ask');
    {
      await using core = await startCore(dir);
      const recordVerdict = never;
      const parts = { ...core, authorizing: { ...core.authorizing, recordVerdict } };
      void createExecute(parts)(relay, start, openChannel());
      await vi.waitUntil(() => core.approvals.pending().length === 1);
      const [{ id, planHash } = { id: '', planHash: '' }] = core.approvals.pending();
      const said = { by: 'person:admin', via: 'api', reason: 'so', planHash } as const;
      expect(await core.approvals.resolve(id, { verdict, ...said })).toMatchObject({ type: 'resolved' });
    }
    for (const _ of [1, 2]) {
      await using core = await startCore(dir);
      const waiting = await restoreWaiting(core, core.approvals, core.records);
      expect(waiting).toBe(verdict === 'approved' ? 1 : 0);
      const verdicts = () => readAudit(dir).filter(({ type }) => type === 'verdict');
      await vi.waitUntil(() => verdicts().length > 0);
      expect(verdicts()).toMatchObject([
        { execution: start.executionId, verdict, by: 'person:admin', via: 'api', reason: 'so' },
      ]);
    }
  },
);

test.each(['denied', 'approved'] as const)(
  'A-589 P25: who answers hears that it could not be recorded that it is %s',
  async (verdict) => {
    await using core = await startCore(dir);
    const full = new ClawrdenError('audit-unwritable', 'no room');
    const recordVerdict = () => Promise.reject(full);
    const parts = { ...core, authorizing: { ...core.authorizing, recordVerdict } };
    const outcome = createExecute(parts)(relay, request('ask'), openChannel());
    await vi.waitUntil(() => core.approvals.pending().length === 1);
    const [{ id, planHash } = { id: '', planHash: '' }] = core.approvals.pending();
    const said = { by: 'person:admin', via: 'api', reason: 'so', planHash } as const;
    await expect(core.approvals.resolve(id, { verdict, ...said })).rejects.toMatchObject({
      code: 'audit-unwritable',
      message: expect.stringContaining('could not be recorded'),
    });
    expect(await outcome).toMatchObject({ reason: 'audit-unwritable' });
    expect([core.ran, core.grants.list()]).toEqual([[], []]);
  },
);

test('A-577 P15: what a person denied is told as never started, also if the gateway was killed behind the verdict', async () => {
  const start = request('ask');
  {
    await using core = await startCore(dir);
    const recordVerdict = async (...verdict: Parameters<typeof core.authorizing.recordVerdict>) => {
      await core.authorizing.recordVerdict(...verdict);
      return await never();
    };
    const parts = { ...core, authorizing: { ...core.authorizing, recordVerdict } };
    void createExecute(parts)(relay, start, openChannel());
    await vi.waitUntil(() => core.approvals.pending().length === 1);
    const [{ id, planHash } = { id: '', planHash: '' }] = core.approvals.pending();
    const said = { by: 'person:admin', via: 'api', reason: 'so', planHash } as const;
    await core.approvals.resolve(id, { verdict: 'denied', ...said });
    await vi.waitUntil(() => readAudit(dir).some(({ type }) => type === 'verdict'));
  }
  await using core = await startCore(dir);
  await restoreWaiting(core, core.approvals, core.records);
  const record = await core.history.find(start.executionId);
  expect(record).toMatchObject({ state: 'ended', reason: 'gateway-lost', decision: 'ask' });
  expect(record && resultOf(record).wasStarted).toBe(false);
});

test('A-540: of a start whose end the audit has the history tells both', async () => {
  const start = request('run');
  const end = { outcome: 'exited', code: 0, signal: 0, reason: '', text: '', stdoutBytes: 0, stderrBytes: 0 };
  await killedAtOnce(start.executionId, startRecord, { type: 'outcome', ...end });
  await using core = await startCore(dir);
  await restoreWaiting(core, core.approvals, core.records);
  expect(await core.history.find(start.executionId)).toMatchObject({
    ...{ outcome: 'exited', host: 'gone-9', startedAt: expect.any(Number) },
  });
});
