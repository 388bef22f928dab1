import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { ExecutionResult } from '../ports/detached.ts';
import { type Database, openDatabase } from './database.ts';
import { createDetachedRows } from './detached-rows.ts';

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
