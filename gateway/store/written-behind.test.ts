import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { type Database, type ExecutionRow, openDatabase } from './database.ts';
import { WrittenBehind } from './written-behind.ts';

let database: Database;
let rows: WrittenBehind;

beforeEach(async () => {
  database = await openDatabase(':memory:', 'crash');
  rows = new WrittenBehind(database, 200_000);
});
afterEach(async () => {
  await rows.close();
  await database.destroy();
});

function newRow(more: Partial<ExecutionRow> = {}): ExecutionRow {
  const texts = { agent: 'coder', argv: '["ls"]', cwd: '/app', state: 'ended', decision: 'allow', rule: 'r' };
  const empty = {
    decision_reason: '',
    strategy: '',
    host: '',
    container: '',
    plan_hash: '',
    plan: '',
    cut: '',
  };
  const rest = {
    approval_id: '',
    approver: '',
    outcome: '',
    reason: '',
    text: '',
    operands: '',
    connections: '',
  };
  const numbers = {
    uid: 1,
    gid: 1,
    exit_code: 0,
    exit_signal: 0,
    stdout_bytes: 0,
    stderr_bytes: 0,
    connection_count: 0,
  };
  const times = { received_at: Date.now(), decided_at: null, started_at: null, ended_at: null };
  const ids = { caller: 'relay:host-1', id: newExecutionId() };
  return { ...ids, ...texts, ...empty, ...rest, ...numbers, ...times, ...more };
}

/** Of each turn of the event loop in which something was written: how many rows. */
async function writtenInTurns(count: number): Promise<number[]> {
  const inTurns: number[] = [];
  for (let before = 0; before < count; ) {
    await turn();
    const now = (await written()).length;
    if (now > before) inTurns.push(now - before);
    before = now;
  }
  return inTurns;
}

async function written(): Promise<string[]> {
  return (await database.selectFrom('executions').select('id').execute()).map(({ id }) => id);
}

/** Fails like a full or broken disk, until it is undone. */
async function refuseWrites(id = ''): Promise<void> {
  const when = id === '' ? sql`` : sql`when new.id = ${sql.lit(id)}`;
  await sql`create trigger refused before insert on executions ${when} begin select raise(abort, 'no room'); end`.execute(
    database,
  );
}

const takeWrites = () => sql`drop trigger refused`.execute(database);

test('A-91: an id whose row could not be written is not new, and its row is written once it can be', async () => {
  await refuseWrites();
  const ids = Array.from({ length: 150 }, () => newRow());
  for (const row of ids) rows.save(row);
  await rows.tried();
  expect(rows.problem()).toContain('no room');
  expect(ids.filter(({ caller, id }) => !rows.has(caller, id))).toEqual([]);
  expect(rows.has('relay:host-1', 'another')).toBe(false);
  await takeWrites();
  await expect.poll(written).toHaveLength(150);
  expect(rows.problem()).toBe('');
});

test('A-91: one row that cannot be written keeps none of its neighbours', async () => {
  const bad = newRow();
  const others = Array.from({ length: 120 }, () => newRow());
  await refuseWrites(bad.id);
  for (const row of [...others.slice(0, 50), bad, ...others.slice(50)]) rows.save(row);
  await rows.tried();
  expect((await written()).toSorted()).toEqual(others.map(({ id }) => id).toSorted());
  expect(rows.has(bad.caller, bad.id)).toBe(true);
  await takeWrites();
});

test('A-91: what waits is bounded: then a new id is refused, and one that waits is still known', async () => {
  await refuseWrites();
  const first = newRow();
  rows.save(first);
  for (let i = 0; i < 200; i += 1) rows.save(newRow({ plan: 'x'.repeat(1000) }));
  await rows.tried();
  expect(rows.has(first.caller, first.id)).toBe(true);
  expect(() => rows.has('relay:host-1', 'another')).toThrow('the history cannot be written: no room');
  await takeWrites();
});

test.each(['plan', 'container', 'text'])(
  'A-373: what waits is bounded, whatever of a row is long: %s',
  async (column) => {
    await refuseWrites();
    for (let i = 0; i < 200; i += 1) rows.save(newRow({ [column]: 'x'.repeat(1000) }));
    await rows.tried();
    expect(() => rows.has('relay:host-1', 'another')).toThrow('the history cannot be written: no room');
    await takeWrites();
  },
);

test('A-91: what could not be written is written at the stop', async () => {
  await refuseWrites();
  rows.save(newRow());
  await rows.tried();
  await takeWrites();
  await rows.close();
  expect(await written()).toHaveLength(1);
});

test('A-552 P20: of long lines few are written in one turn of the event loop, and of short ones a hundred', async () => {
  const save = (count: number, argv: string) => {
    for (let at = 0; at < count; at += 1) rows.save(newRow({ argv }));
  };
  save(40, JSON.stringify(['x'.repeat(4000)]));
  const ofLong = await writtenInTurns(40);
  // Two turns of the writer may stand between two of ours.
  expect(Math.max(...ofLong)).toBeLessThanOrEqual(2 * 8);
  await database.deleteFrom('executions').execute();
  save(2, JSON.stringify(['x'.repeat(40_000)]));
  save(100, '["ls"]');
  expect((await writtenInTurns(102)).length).toBeLessThanOrEqual(4);
});
