import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { believedTime, goneOn, keepBelievedTime } from './believed-time.ts';
import { type Database, openDatabase } from './database.ts';
import { createDetachedRows } from './detached-rows.ts';
import { createKeptChanges } from './kept-changes.ts';
import { keepRetention } from './retention.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const noon = Date.parse('2026-01-01T12:00:00Z');
const atFirst = { at: noon, ahead: 0, ran: 0 };

/** By so much it is behind the true time, after each minute of these days; `jump` is what the wall clock adds. */
function behind(days: number, jump: (ms: number) => number, isOn: (ms: number) => boolean = () => true) {
  let [believed, most] = [atFirst, 0];
  for (let ms = minute; ms <= days * day; ms += minute) {
    if (!isOn(ms)) continue;
    believed = goneOn(believed, minute, noon + ms + jump(ms));
    expect(believed.at).toBeLessThanOrEqual(noon + ms + Math.max(0, jump(ms)));
    most = Math.max(most, noon + ms - believed.at);
  }
  return { most, last: noon + days * day - believed.at };
}

test('A-545 P26: a wall clock that is ahead for less than a day is not believed', () => {
  const { most, last } = behind(10, (ms) => (ms >= 2 * day && ms < 2.9 * day ? 365 * day : 0));
  expect([most, last]).toEqual([0, 0]);
});

test('A-545 P26: one that was put right is believed, at once if it was ahead, and within two days if it was behind', () => {
  expect(behind(2, (ms) => (ms < day ? 0 : -365 * day)).last).toBe(365 * day);
  expect(behind(4, (ms) => (ms < hour ? -50 * 365 * day : 0)).last).toBe(0);
});

test('A-545 P26: time in which no gateway runs has passed within some days, also if one runs by day only', () => {
  const { most } = behind(
    60,
    () => 0,
    (ms) => ms % day < 8 * hour,
  );
  expect(most).toBeLessThan(6 * day);
});

let database: Database;
let stop: () => void;
beforeEach(async () => {
  database = await openDatabase(':memory:', 'crash');
  stop = keepBelievedTime(database);
  vi.useFakeTimers({ toFake: ['Date'] });
  await vi.waitUntil(async () => (await rows('believed_time')).length === 1);
});
afterEach(async () => {
  vi.useRealTimers();
  stop();
  await database.destroy();
});

async function rows(table: 'believed_time' | 'executions' | 'kept_sets'): Promise<unknown[]> {
  return await database.selectFrom(table).selectAll().execute();
}

const none = { bytes: Buffer.alloc(0), truncated: false };
const result = {
  ...({ outcome: { kind: 'exited', code: 0, signal: 0 }, planHash: '', host: '', container: '' } as const),
  ...{ wasStarted: true, stdout: none, stderr: none },
};

/** A row of the history. */
function executionAt(at: number) {
  return {
    ...{ caller: 'c', id: 'i', agent: 'a', argv: '[]', cwd: '', state: 'ended', decision: '', rule: '' },
    ...{ decision_reason: '', strategy: '', host: '', container: '', plan_hash: '', plan: '' },
    ...{ approval_id: '', approver: '', outcome: '', reason: '', text: '', uid: 0, gid: 0, exit_code: 0 },
    ...{ exit_signal: 0, stdout_bytes: 0, stderr_bytes: 0, received_at: at, ended_at: at },
    ...{ decided_at: null, started_at: null, operands: '', connections: '', connection_count: 0, cut: '' },
  };
}

test('A-580 P26: the first gateway that has a believed time goes by the newest execution, whatever the wall clock says', async () => {
  stop();
  vi.useRealTimers();
  const fresh = await openDatabase(':memory:', 'crash');
  const newest = Date.now() - day;
  await fresh.insertInto('executions').values(executionAt(newest)).execute();
  expect(await believedTime(fresh)).toBe(newest);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * day });
  stop = keepBelievedTime(fresh);
  await vi.waitUntil(
    async () => (await fresh.selectFrom('believed_time').selectAll().execute()).length === 1,
  );
  expect(await believedTime(fresh)).toBeLessThan(newest + minute);
  await fresh.destroy();
});

test('A-545 P26: a result that nobody has fetched outlives a wall clock that is ahead for a moment', async () => {
  const detached = createDetachedRows(database);
  for (const id of ['before', 'meanwhile']) await detached.add('program:ci', id, undefined);
  await detached.end('program:ci', 'before', result);
  vi.setSystemTime(Date.now() + 2 * hour);
  expect(await detached.find('program:ci', 'before')).toMatchObject({ outcome: { kind: 'exited' } });
  await detached.end('program:ci', 'meanwhile', result);
  vi.setSystemTime(Date.now() - 2 * hour);
  for (const id of ['before', 'meanwhile'])
    expect(await detached.find('program:ci', id)).toMatchObject({ outcome: { kind: 'exited' } });
});

test('A-545 P26: kept changes outlive a wall clock that is ahead', async () => {
  const kept = createKeptChanges(database);
  const files = [{ path: Buffer.from('x'), whose: 'tool', kept: '7/0' }] as const;
  const set = { agent: 'a', host: 'h', execution: 'e', why: 'conflict', count: 1, files } as const;
  const id = await kept.add(set);
  vi.setSystemTime(Date.now() + 365 * day);
  await kept.add(set);
  expect(await rows('kept_sets')).toHaveLength(2);
  expect(await kept.find('a', id, 1)).toMatchObject({ id });
});

test('A-545 P26: a start with a wall clock that is ahead deletes no history', async () => {
  await database.insertInto('executions').values(executionAt(Date.now())).execute();
  vi.setSystemTime(Date.now() + 365 * day);
  const stopSweeping = keepRetention(database, day);
  await sleep(200);
  expect(await rows('executions')).toHaveLength(1);
  // Positive control.
  await database.updateTable('believed_time').set({ at: Date.now() }).execute();
  expect(await believedTime(database)).toBe(Date.now());
  const stopAgain = keepRetention(database, day);
  await expect.poll(() => rows('executions')).toEqual([]);
  stopAgain();
  stopSweeping();
});
