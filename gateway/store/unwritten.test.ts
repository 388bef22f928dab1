import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { createDetachedRows } from './detached-rows.ts';
import { faultsBesideDisk } from './unwritten.ts';

test('A-526 P21: a full disk is no unforeseen fault of what is done behind the calls, and is told once a minute', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-full-'));
  const database = await openDatabase(join(dir, 'clawrden.db'), 'crash');
  const rows = createDetachedRows(database);
  const [warned, logged]: [unknown[], unknown[]] = [[], []];
  const faults = faultsBesideDisk({
    warn: (entry: unknown) => void warned.push(entry),
    error: (entry: unknown) => void logged.push(entry),
  });
  // SQLite fails as it does on a full disk: the file gets no page more.
  await sql`pragma max_page_count = 1`.execute(database);
  const write = () => rows.add('program:ci', 'e', Buffer.alloc(100_000));
  await expect(write()).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  for (let round = 0; round < 3; round += 1) {
    faults.guard('results', write)();
    await setImmediate();
  }
  await expect
    .poll(() => warned)
    .toEqual([{ where: 'results', error: 'database or disk is full', suppressed: 0 }]);
  expect(faults.count()).toBe(0);
  faults.report('results', new Error('what is this?'));
  expect([warned.length, logged.length, faults.count()]).toEqual([1, 1, 1]);
  await database.destroy();
  await rm(dir, { recursive: true });
});
