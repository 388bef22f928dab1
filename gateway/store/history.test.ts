import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { openDatabase } from './database.ts';
import { fromRow } from './execution-row.ts';
import { type History, openHistory } from './history.ts';
import { isUnseen } from './is-open.ts';

let history: History;

beforeEach(async () => {
  history = openHistory(await openDatabase(':memory:', 'crash'));
});
afterEach(() => history.close());

function recordOf(number: number, change: Partial<ExecutionRecord> = {}): ExecutionRecord {
  const texts = {
    cwd: '/app',
    decision: 'allow',
    rule: '',
    decision_reason: '',
    strategy: 'mirror',
    host: '',
  };
  const more = {
    container: '',
    plan_hash: '',
    plan: '',
    approval_id: '',
    approver: '',
    outcome: '',
    operands: '',
    connections: '',
    cut: '',
  };
  const numbers = {
    uid: 1000,
    gid: 1000,
    exit_code: 0,
    exit_signal: 0,
    connection_count: 0,
    stdout_bytes: 0,
    stderr_bytes: 0,
  };
  const times = { received_at: number, decided_at: null, started_at: null, ended_at: null };
  const ids = { caller: 'relay:host-1', id: `e${number}`, agent: 'coder', argv: '["ls"]', state: 'running' };
  return { ...fromRow({ ...ids, ...texts, ...more, ...numbers, ...times, reason: '', text: '' }), ...change };
}

const all = { agent: '', since: undefined, decision: '', limit: 100 };

test('a reader sees what was saved before, however much is saved meanwhile', async () => {
  let saved = 0;
  const stop = new AbortController();
  const load = (async () => {
    for (; !stop.signal.aborted; await sleep(1)) {
      for (let i = 0; i < 5; i += 1) history.save(recordOf((saved += 1)));
    }
  })();
  await sleep(100);
  for (let round = 0; round < 5; round += 1) {
    const newest = saved;
    const began = performance.now();
    const [first] = await Array.fromAsync(history.page(all));
    expect(performance.now() - began).toBeLessThan(500);
    expect(first?.receivedAt).toBeGreaterThanOrEqual(newest);
    expect(await history.find(`e${newest}`)).toMatchObject({ receivedAt: newest });
  }
  stop.abort();
  await load;
});

test('of many changes at once each execution shows its last', async () => {
  for (let number = 1; number <= 350; number += 1) history.save(recordOf(number));
  for (let number = 1; number <= 350; number += 1)
    history.save(recordOf(number, { state: 'ended', outcome: 'exited', exitCode: number % 256 }));
  const listed = await Array.fromAsync(history.page({ ...all, limit: 1000 }));
  expect(listed).toHaveLength(350);
  expect(
    listed.every(
      ({ record: { receivedAt, state, exitCode } }) => state === 'ended' && exitCode === receivedAt % 256,
    ),
  ).toBe(true);
});

test('the ends in containers that nobody saw are found by host, without a look at every row', async () => {
  const database = await openDatabase(':memory:', 'crash');
  const kept = openHistory(database);
  const unseen = { state: 'ended', strategy: 'ghost', host: 'b', outcome: 'failed' } as const;
  const changes: Partial<ExecutionRecord>[] = [
    ...[unseen, { ...unseen, host: 'a' }, { ...unseen, host: '' }, { ...unseen, outcome: 'exited' }],
    ...[
      { ...unseen, strategy: 'mirror' },
      { ...unseen, outcome: '', state: 'running' as const },
    ],
    { ...unseen, outcome: 'canceled' },
  ];
  for (const [number, change] of changes.entries()) kept.save(recordOf(number, change));
  const found = async (hosts: string[]) => (await kept.unseenEnds(hosts)).map(({ id }) => id);
  expect(await found(['a'])).toEqual(['e6', 'e0']);
  expect(await found([])).toEqual(['e6', 'e1', 'e0']);
  expect(await found(['a', 'b'])).toEqual([]);
  const query = database.selectFrom('executions').selectAll().where(isUnseen).where('host', 'not in', ['a']);
  const { sql, parameters } = query.orderBy('received_at', 'desc').limit(1000).compile();
  const { rows } = await database.executeQuery(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  );
  expect(JSON.stringify(rows)).toContain('executions_unseen');
  await kept.close();
});
