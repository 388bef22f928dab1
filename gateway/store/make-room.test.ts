import fc from 'fast-check';
import { type KyselyPlugin, sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { ExecutionResult } from '../ports/detached.ts';
import { type Database, openDatabase } from './database.ts';
import { createDetachedRows } from './detached-rows.ts';
import { createRecordings } from './recordings.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const mostBytes = 40_000;
const rowBytes = 256;

const rows = fc.array(
  fc.record({ caller: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(4000), ended: fc.boolean() }),
  { minLength: 1, maxLength: 60 },
);

const result = (bytes: number): ExecutionResult => ({
  outcome: { kind: 'exited', code: 0, signal: 0 },
  ...{ planHash: '', host: '', container: '', wasStarted: true },
  stdout: { bytes: Buffer.alloc(bytes), truncated: false },
  stderr: { bytes: Buffer.alloc(0), truncated: false },
});

/** As triggers should have it. */
async function summed(database: Database): Promise<{ owner: string; bytes: number }[]> {
  const { rows: sums } = await sql<{ owner: string; bytes: number }>`select caller as owner,
    sum(bytes + ${rowBytes}) as bytes from detached group by caller order by caller`.execute(database);
  return sums;
}

test('A-410: results have a size: the oldest of the caller that has most go, and what has not ended stays', async () => {
  const property = fc.asyncProperty(rows, async (all) => {
    const database = await openDatabase(':memory:', 'crash');
    const detached = createDetachedRows(database, { keepMs: 60_000, bytes: mostBytes });
    for (const [at, { caller, bytes, ended }] of all.entries()) {
      await detached.add(caller, `${at}`, Buffer.alloc(10));
      if (ended) await detached.end(caller, `${at}`, result(bytes));
    }
    const sums = await summed(database);
    const sizes = database.selectFrom('room_sizes').select(['owner', 'bytes']).where('room', '=', 'detached');
    expect(await sizes.orderBy('owner').execute()).toEqual(sums);
    const left = await database.selectFrom('detached').select(['caller', 'id', 'ended_at']).execute();
    const open = left.filter(({ ended_at: end }) => end === null);
    expect(open).toHaveLength(all.filter(({ ended }) => !ended).length);
    const total = sums.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total <= mostBytes || open.length === left.length).toBe(true);
    for (const caller of ['a', 'b', 'c']) {
      const own = all.flatMap((row, at) => (row.caller === caller && row.ended ? [`${at}`] : []));
      const kept = own.filter((id) => left.some((row) => row.caller === caller && row.id === id));
      // Its newest are left.
      expect(kept).toEqual(own.slice(own.length - kept.length));
      // A caller that has far less than a third loses nothing.
      const bytes = all.reduce(
        (sum, row) => sum + (row.caller === caller ? row.bytes + rowBytes + 10 : 0),
        0,
      );
      if (bytes < mostBytes / 8) expect(kept).toEqual(own);
    }
    await database.destroy();
  });
  await fc.assert(property, { numRuns: isLong ? 300 : 30 });
});

test("A-410: what one caller's commands write removes no other's results, and what has not ended counts for its caller", async () => {
  const database = await openDatabase(':memory:', 'crash');
  const detached = createDetachedRows(database, { keepMs: 60_000, bytes: mostBytes });
  const end = async (caller: string, id: string) => {
    await detached.add(caller, id, undefined);
    await detached.end(caller, id, result(1000));
  };
  const kept = async (caller: string, ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => detached.find(caller, id)));
    return found.filter((each) => each !== undefined).length;
  };
  const ids = (begin: string, count: number) => Array.from({ length: count }, (_, at) => `${begin}${at}`);
  const [own, many, late] = [ids('own-', 3), ids('many-', 60), ids('late-', 5)];
  for (const id of own) await end('program:ci', id);
  for (const id of many) await end('agent:hog', id);
  expect(await kept('program:ci', own)).toBe(3);
  expect(await kept('agent:hog', many)).toBe(Math.floor(mostBytes / (1000 + rowBytes)) - 3);
  await database.deleteFrom('detached').execute();
  for (const id of ids('open-', 30)) await detached.add('agent:hog', id, Buffer.alloc(1000));
  for (const id of late) await end('program:ci', id);
  expect(await kept('program:ci', late)).toBe(1);
  await database.destroy();
});

/** As commands leave them that write nothing. */
async function addSilent(database: Database, agent: string, count: number): Promise<void> {
  await sql`insert into recordings (caller, execution, part, agent, saved_at, bytes, begun_at, cols, rows, data)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select 'c', ${agent} || i, 0, ${agent}, i, 0, 0, 0, 0, x'' from n`.execute(database);
}

test('A-459 P20: room for a large recording is made in few steps, however many rows are in its way, and no look waits for it', async () => {
  const database = await openDatabase(':memory:', 'crash');
  let deletes = 0;
  const counts: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === 'RawNode' && node.sqlFragments[0]?.startsWith('delete')) deletes += 1;
      return node;
    },
    transformResult: async ({ result: found }) => found,
  };
  const each = 20_000;
  const room = 2 * each * rowBytes;
  for (const agent of ['one', 'other']) await addSilent(database, agent, each);
  const recordings = createRecordings(database.withPlugin(counts), room);
  const sizes = async () => {
    const all = database.selectFrom('room_sizes').select(['owner', 'bytes']).orderBy('owner');
    return (await all.execute()).map(({ bytes }) => bytes);
  };
  const isFull = async () => (await sizes()).reduce((sum, bytes) => sum + bytes, 0) > room;
  const lot = { begunAt: 1, parts: Array.from({ length: 32 }, () => Buffer.alloc(65_536)) };
  await recordings.save({ caller: 'c', id: 'large', agent: 'late' }, lot);
  // Its memory is given back now.
  expect(await isFull()).toBe(true);
  const next = recordings.save({ caller: 'c', id: 'next', agent: 'late' }, { begunAt: 1, parts: [] });
  for (const id of ['large', `one${each}`]) expect(await recordings.find('c', id)).toBeDefined();
  expect(await isFull()).toBe(true);
  await next;
  await vi.waitFor(async () => expect(await isFull()).toBe(false));
  expect(deletes).toBeLessThan(30);
  const [late = 0, one = 0, other = 0] = await sizes();
  expect(late).toBe(32 * (65_536 + rowBytes) + rowBytes);
  expect(Math.abs(one - other)).toBeLessThanOrEqual(rowBytes);
  expect(late + one + other).toBeGreaterThan(room - rowBytes);
  // The newest are left.
  const { rows: oldest } = await sql<{ at: number }>`select min(saved_at) as at from recordings
    where agent = 'one'`.execute(database);
  expect(oldest[0]?.at).toBe(each - one / rowBytes + 1);
  await database.destroy();
});
