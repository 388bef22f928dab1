import { type KyselyPlugin, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { createDetachedRows } from './detached-rows.ts';
import { createHistoryRoom } from './history-room.ts';
import { removeOlder } from './retention.ts';

let database: Database;
let watched: Watched;

beforeEach(async () => {
  const opened = await openDatabase(':memory:', 'crash');
  watched = watchDeletes();
  database = opened.withPlugin(watched.plugin);
});
afterEach(async () => {
  watched.stop();
  await database.destroy();
});

interface Watched {
  readonly plugin: KyselyPlugin;
  /** How many rows went in each turn of the event loop in which some did. */
  readonly inTurns: () => number[];
  readonly stop: () => void;
}

function watchDeletes(): Watched {
  const turns = new Map<number, number>();
  let [now, isOver] = [0, false];
  const next = () => {
    now += 1;
    if (!isOver) setImmediate(next);
  };
  next();
  return {
    plugin: {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const returned = result.rows.filter((row) => 'id' in row);
        const rows = Math.max(Number(result.numAffectedRows ?? 0n), returned.length);
        if (rows > 0) turns.set(now, (turns.get(now) ?? 0) + rows);
        return result;
      },
    },
    inTurns: () => [...turns.values()],
    stop: () => {
      isOver = true;
    },
  };
}

const mebibyte = 1024 * 1024;
const never = new AbortController().signal;

/** Each of the columns has its number where nothing else is said. */
async function fill(table: string, columns: Record<string, string>, count: number): Promise<void> {
  await sql`insert into ${sql.table(table)} (${sql.raw(Object.keys(columns).join(', '))})
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select ${sql.raw(Object.values(columns).join(', '))} from n`.execute(database.withoutPlugins());
}

const texts = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, "''"]));
const numbers = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, '0']));
const executions = {
  ...texts(
    'cwd state decision rule decision_reason strategy host container plan_hash plan approval_id approver',
  ),
  ...{ ...texts('outcome reason text'), argv: "'[]'" },
  ...numbers('uid gid exit_code exit_signal stdout_bytes stderr_bytes'),
  ...{ caller: "'c'", id: 'i', agent: "'coder'", received_at: 'i', ended_at: 'i' },
};

test('A-554 P20: of results that are too old some megabytes go in one turn of the event loop, however many look', async () => {
  const columns = {
    ...{ caller: "'c'", id: 'i', bytes: `${mebibyte}`, stdout: `zeroblob(${mebibyte})` },
    ...{ started_at: '1', ended_at: '1', input: "x''", stderr: "x''" },
    ...texts('outcome plan_hash host container'),
    ...numbers('no_input was_started stdout_truncated stderr_truncated'),
  };
  await fill('detached', columns, 40);
  const { sweep } = createDetachedRows(database);
  await Promise.all([sweep(), sweep(), sweep()]);
  expect(watched.inTurns().reduce((sum, rows) => sum + rows, 0)).toBe(40);
  expect(Math.max(...watched.inTurns())).toBeLessThanOrEqual(8);
});

test('A-554 P20: of a history that is too old or too large a hundred rows go in one turn', async () => {
  await fill('executions', executions, 1000);
  expect(await removeOlder(database, 501, never)).toBe(500);
  expect(watched.inTurns()).toEqual(Array.from({ length: 5 }, () => 100));
  expect(await createHistoryRoom(database, 1).makeRoom()).toBe(500);
  // One more says what their caller has lost.
  expect(watched.inTurns().slice(5)).toEqual(Array.from({ length: 5 }, () => 101));
});

test('A-554 P20: of outputs and recordings that are too old some megabytes go in one turn', async () => {
  const of = { caller: "'c'", execution: 'i', agent: "'coder'", saved_at: 'i', bytes: `${mebibyte / 8}` };
  const blobs = { stdout_head: `zeroblob(${mebibyte / 8})`, ...texts('stdout_tail stderr_head stderr_tail') };
  const outputs = { ...of, ...blobs, ...numbers('stdout_dropped stderr_dropped') };
  await fill('outputs', outputs, 200);
  await removeOlder(database, 201, never);
  const rows = watched.inTurns();
  expect(rows.reduce((sum, each) => sum + each, 0)).toBe(200);
  expect(Math.max(...rows)).toBeLessThanOrEqual(64);
  const recordings = { ...of, ...numbers('part begun_at cols rows'), data: `zeroblob(${mebibyte / 8})` };
  await fill('recordings', recordings, 200);
  await removeOlder(database, 201, never);
  expect(Math.max(...watched.inTurns().slice(rows.length))).toBeLessThanOrEqual(64);
});
