import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { keepRetention, removeOlder } from './retention.ts';

let database: Database;
beforeEach(async () => {
  database = await openDatabase(':memory:', 'crash');
});
afterEach(() => database.destroy());

const never = new AbortController().signal;

/** Executions received at 1, 2 …, each ended one later; the last one never ends. */
async function fill(count: number, from = 0): Promise<void> {
  await sql`insert into executions (caller, id, agent, argv, cwd, state, decision, rule, decision_reason, strategy, host,
      container, plan_hash, plan, approval_id, approver, outcome, reason, text, uid, gid, exit_code, exit_signal,
      stdout_bytes, stderr_bytes, received_at, ended_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select 'c', i, '', '[]', '',
      iif(i < ${count}, 'ended', 'running'), '', '', '', '', '', '', '', '', '', '', '', '', '', 0, 0, 0, 0, 0, 0,
      ${from} + i, iif(i < ${count}, ${from} + i + 1, null) from n`.execute(database);
}

async function left(): Promise<number> {
  const rows = await database.selectFrom('executions').select('id').execute();
  return rows.length;
}

test('removes what ended before, in batches, and nothing that is open or younger', async () => {
  await fill(2000);
  expect(await removeOlder(database, 1502, never)).toBe(1500);
  expect(await left()).toBe(500);
  expect(await removeOlder(database, Number.MAX_SAFE_INTEGER, never)).toBe(499);
  expect(await left()).toBe(1);
});

test('sweeps at once, counted from now', async () => {
  await database.insertInto('believed_time').values({ one: 1, at: Date.now(), ahead: 0, ran: 0 }).execute();
  await fill(10, Date.now() - 60_000);
  keepRetention(database, 3_600_000)();
  await expect.poll(left).toBe(10);
  const stop = keepRetention(database, 1000);
  await expect.poll(left).toBe(1);
  stop();
});
