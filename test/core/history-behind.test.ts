import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditRecord } from '../../gateway/audit/audit-record.ts';
import { createExecute, createResume } from '../../gateway/execute.ts';
import { Vanished } from '../../gateway/ports/channel.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { openChannel, readAudit, relay, request, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

/** What a kill can leave in the history of a command that a person was asked about: it is written behind the audit. */
const leftBehind = {
  'all of it': '',
  'nothing of it': 'delete from executions where id = :id',
  'only its decision':
    "update executions set state = 'received', plan_hash = :decided, plan = '', approval_id = '' where id = :id",
};

function leaveBehind(id: string, statement: string): void {
  const decided = readAudit(dir).find(({ type, execution }) => type === 'decision' && execution === id);
  if (statement === '') return;
  const database = new SqliteDatabase(join(dir, 'clawrden.db'));
  database
    .prepare(statement)
    .run({ id, ...(statement.includes(':decided') && { decided: decided?.planHash }) });
  database.close();
}

/** A gateway that asks about a command, and ends before a person answers. Resolves with the plan that the caller was told. */
async function ask(start: ReturnType<typeof request>): Promise<string> {
  await using core = await startCore(dir);
  const channel = openChannel();
  void createExecute(core)(relay, start, channel);
  await expect.poll(() => core.approvals.pending().length).toBe(1);
  const told = channel.said.find((item) => item.type === 'pending');
  channel.leave(new Vanished());
  return told?.planHash ?? '';
}

test.each(Object.entries(leftBehind))(
  'P10 A-46: a kill leaves %s in the history, and the question waits on: its caller comes back to it, and it runs by the plan that was approved',
  async (_what, statement) => {
    const start = request('ask');
    const { executionId } = start;
    const planHash = await ask(start);
    leaveBehind(executionId, statement);
    await using core = await startCore(dir);
    expect(await restoreWaiting(core, core.approvals, core.records)).toBe(1);
    const [question] = core.approvals.pending();
    const ended = createResume(core.ledger)(relay, { executionId, planHash }, openChannel());
    const verdict = { verdict: 'approved', by: 'person:admin', via: 'api', reason: '', planHash } as const;
    expect(await core.approvals.resolve(question?.id ?? '', verdict)).toMatchObject({ type: 'resolved' });
    expect(await ended).toEqual({ kind: 'exited', code: 7, signal: 0 });
    expect(core.ran).toEqual(['ask']);
    expect(readAudit(dir).filter(({ type }) => type === 'verdict')).toMatchObject([{ planHash }]);
    expect(await core.history.get('relay:host-1', executionId)).toMatchObject({ state: 'ended', planHash });
  },
);

test('P15: of what ended with a killed gateway, the history has the plan of the last record, and no text of another one', async () => {
  const { executionId: execution } = request('ask');
  const ids = { execution, caller: 'relay:host-1', agent: 'coder' };
  const what = { argv: ['ask'], cwd: '/app', uid: 1000, gid: 1000, strategy: 'mirror', planHash: 'decided' };
  const decision = { type: 'decision', ...ids, decision: 'ask', rule: 'must-ask', reason: 'so', ...what };
  const inspection = { type: 'inspection', ...ids, operands: [], planHash: 'inspected' };
  {
    await using core = await startCore(dir);
    for (const record of [decision, inspection])
      await core.records.audit.append(record as unknown as AuditRecord);
  }
  await using core = await startCore(dir);
  await restoreWaiting(core, core.approvals, core.records);
  expect(await core.history.get('relay:host-1', execution)).toMatchObject({
    ...{ state: 'ended', reason: 'gateway-lost', planHash: 'inspected', plan: '' },
  });
});
