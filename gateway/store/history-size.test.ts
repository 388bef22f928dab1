import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApprovalStore } from '../approvals/approval-store.ts';
import { type Database, openDatabase } from './database.ts';
import { type History, openHistory } from './history.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const rows = isLong ? 1_000_000 : 100_000;
const budgetMs = isLong ? 50 : 15;

let database: Database;
let history: History;

// Two agents, the second with one execution in a thousand; a denial is one in ten thousand, an ask in a hundred.
beforeAll(async () => {
  database = await openDatabase(':memory:', 'crash');
  history = openHistory(database);
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`;
  await sql`insert into executions (caller, id, agent, argv, cwd, state, decision, rule, decision_reason, strategy, host,
      container, plan_hash, plan, approval_id, approver, outcome, reason, text, uid, gid, exit_code, exit_signal,
      stdout_bytes, stderr_bytes, received_at)
    ${numbers} select 'relay:host-1', printf('%08x-0000-7000-8000-000000000000', i),
      iif(i % 1000 = 0, 'rare', 'coder'), '["ls"]', '/app', 'ended',
      iif(i % 10000 = 0, 'deny', iif(i % 100 = 0, 'ask', 'allow')), 'r', '', 'mirror', '', '', '', '{}', '', '', 'exited',
      '', '', 1000, 1000, 0, 0, 0, 0, i from n`.execute(database);
  await sql`insert into approvals (id, execution_id, caller, agent, plan_hash, plan, rule, reason, context, state,
      verdict_by, verdict_via, verdict_reason, created_at, expires_at, used_at)
    ${numbers} select printf('%010x', i), 'e', 'c', 'coder', 'h', '{}', 'r', '', '{}',
      iif(i % 3 = 0, 'denied', 'approved'), '', '', '', i, i, i from n`.execute(database);
}, 300_000);
afterAll(() => history.close());

/** The minimum of ten, so that a busy machine does not matter. */
async function leastMs(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 10; run += 1) {
    const began = process.cpuUsage();
    await work();
    least = Math.min(least, process.cpuUsage(began).user / 1000);
  }
  return least;
}

const all = { agent: '', since: undefined, decision: '', limit: 100 };

test.each([
  ['everything', all, 100],
  ['one agent', { ...all, agent: 'rare' }, 100],
  ['a rare decision', { ...all, decision: 'deny' }, Math.min(100, rows / 10_000)],
  ['a decision that an agent never met', { ...all, agent: 'rare', decision: 'allow' }, 0],
  [
    'a rare decision since then',
    { ...all, decision: 'deny', since: rows / 2 },
    Math.min(100, rows / 20_000 + 1),
  ],
  ['what stands behind the middle', { ...all, behind: { receivedAt: rows / 2, row: rows / 2 } }, 100],
  ['an agent that nobody knows', { ...all, agent: 'nobody' }, 0],
])(`history of ${rows} lists %s in less than ${budgetMs} ms`, async (_what, filter, found) => {
  expect(await Array.fromAsync(history.page(filter))).toHaveLength(found);
  expect(await leastMs(() => Array.fromAsync(history.page(filter)))).toBeLessThan(budgetMs);
});

test(`one of ${rows} is found by the beginning of its id, and the open questions among as many`, async () => {
  expect(await history.unended()).toEqual([]);
  expect(await leastMs(() => history.unended())).toBeLessThan(budgetMs);
  const { unfinished } = createApprovalStore(database);
  expect(await leastMs(() => history.find('00001234'))).toBeLessThan(budgetMs);
  expect(await history.find('00001234')).toMatchObject({ receivedAt: 0x1234 });
  expect(await unfinished()).toEqual([]);
  expect(await leastMs(unfinished)).toBeLessThan(budgetMs);
});
