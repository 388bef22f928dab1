import fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { KeptFileRow, KeptSet } from '../ports/workspace-view.ts';
import { type Database, openDatabase } from './database.ts';
import { createKeptChanges, type KeptChanges } from './kept-changes.ts';

let database: Database;
beforeEach(async () => {
  database = await openDatabase(':memory:', 'crash');
});
afterEach(() => database.destroy());

const numRuns = process.env.CLAWRDEN_LONG ? 250 : 25;
const dayMs = 24 * 3_600_000;

function setOf(agent: string, paths: readonly (string | Buffer)[], more: Partial<KeptSet> = {}): KeptSet {
  const files = paths.map((path, index) => ({
    path: Buffer.from(path),
    whose: 'tool' as const,
    kept: `7/${index}`,
  }));
  const common = { agent, host: 'docker-1', execution: 'e', why: 'conflict' as const };
  return { ...common, count: files.length, files, ...more };
}

async function readAll(kept: KeptChanges, agent: string, limit: number, id = ''): Promise<KeptFileRow[]> {
  const rows: KeptFileRow[] = [];
  for (;;) {
    const behind = rows.at(-1)?.place;
    const page = await kept.page({ agent, id, limit, ...(behind && { behind }) });
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}

const path = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const sets = fc.array(
  fc.record({ agent: fc.constantFrom('a', 'b'), paths: fc.array(path, { maxLength: 6 }) }),
  { maxLength: 8 },
);

test('every file is listed once, the newest set first, as its bytes are, on pages of any size', async () => {
  await fc.assert(
    fc.asyncProperty(sets, fc.integer({ min: 1, max: 9 }), async (all, limit) => {
      const fresh = await openDatabase(':memory:', 'crash');
      const kept = createKeptChanges(fresh);
      const ids = await Promise.all(all.map(({ agent, paths }) => kept.add(setOf(agent, paths))));
      for (const agent of ['a', 'b']) {
        const wanted = all
          .flatMap((set, index) => (set.agent === agent ? [{ ...set, id: ids[index] }] : []))
          .toReversed()
          .flatMap(({ id, paths }) => paths.map((bytes, index) => [id, index + 1, bytes.toString('hex')]));
        const found = await readAll(kept, agent, limit);
        expect(found.map(({ id, number, path: bytes }) => [id, number, bytes.toString('hex')])).toEqual(
          wanted,
        );
      }
      await fresh.destroy();
    }),
    { numRuns },
  );
});

test('P23: the flood of one agent is bounded by count and by size, and hides nothing of another', async () => {
  const kept = createKeptChanges(database, { keepMs: dayMs, sets: 10, bytes: 20_000 });
  const quiet = await kept.add(setOf('quiet', ['only this']));
  for (let round = 0; round < 50; round++) await kept.add(setOf('loud', [`${round}`]));
  const latest = (await readAll(kept, 'loud', 100)).map((row) => row.path.toString());
  expect(latest).toEqual(Array.from({ length: 10 }, (_, index) => `${49 - index}`));
  for (let round = 0; round < 8; round++)
    await kept.add(
      setOf(
        'loud',
        Array.from({ length: 2 }, () => Buffer.alloc(4000, round + 1)),
      ),
    );
  expect(await readAll(kept, 'loud', 100)).toHaveLength(4);
  expect((await readAll(kept, 'quiet', 100)).map(({ id }) => id)).toEqual([quiet]);
  // What goes takes its files along.
  const left = await database.selectFrom('kept_files').selectAll().execute();
  expect(left).toHaveLength(5);
});

test('the newest set stays, however large; of more than a thousand files the first are listed', async () => {
  const kept = createKeptChanges(database, { keepMs: dayMs, sets: 10, bytes: 100 });
  const many = Array.from({ length: 1500 }, (_, index) => `file ${index}`);
  const id = await kept.add(setOf('a', many));
  const rows = await readAll(kept, 'a', 300);
  expect(rows).toHaveLength(1000);
  expect(rows[999]).toMatchObject({ id, number: 1000, count: 1500, kept: '7/999' });
});

test('a set is found by agent, id and number, and goes when its time is over', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const kept = createKeptChanges(database);
    const id = await kept.add(setOf('a', ['x', 'y'], { why: 'late', execution: '' }));
    expect(await kept.find('a', id, 2)).toMatchObject({ path: Buffer.from('y'), why: 'late', kept: '7/1' });
    for (const [agent, wrong, number] of [
      ['b', id, 2],
      ['a', id, 3],
      ['a', '', 1],
      ['a', 'x', 1],
    ] as const)
      expect(await kept.find(agent, wrong, number)).toBeUndefined();
    vi.setSystemTime(Date.now() + 30 * dayMs + 1);
    expect(await kept.find('a', id, 2)).toBeUndefined();
    await kept.add(setOf('b', ['z']));
    expect(await database.selectFrom('kept_files').selectAll().execute()).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

test('A-553 P20: the files of a set are written by a statement that is built once, and few sets come or go in one turn', async () => {
  const turns = new Map<number, number>();
  let [now, isOver, built] = [0, false, 0];
  const next = () => {
    now += 1;
    if (!isOver) setImmediate(next);
  };
  next();
  const watches: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === 'InsertQueryNode') built += 1;
      return node;
    },
    transformResult: async ({ result }) => {
      turns.set(now, (turns.get(now) ?? 0) + Number(result.numAffectedRows ?? 0n));
      return result;
    },
  };
  const kept = createKeptChanges(database.withPlugin(watches), {
    keepMs: dayMs,
    sets: 100,
    bytes: 2_000_000,
  });
  const files = Array.from({ length: 1000 }, (_, index) => `file ${index}`);
  await Promise.all(['a', 'b', 'c'].map((agent) => kept.add(setOf(agent, files))));
  // Of each set and of each file of it.
  expect(built).toBe(3 * 2);
  expect(Math.max(...turns.values())).toBe(1000);
  for (let count = 0; count < 15; count += 1) await kept.add(setOf('a', files));
  turns.clear();
  await kept.add(setOf('a', [Buffer.alloc(2_000_000)]));
  expect(await readAll(kept, 'a', 1000)).toHaveLength(1);
  // The first step follows what was added.
  expect(Math.max(...turns.values())).toBe(1 + 2000);
  isOver = true;
});

test('nothing is written down of a set without files', async () => {
  const kept = createKeptChanges(database);
  expect(await kept.add(setOf('a', [], { count: 0 }))).toBe('');
  expect(await kept.page({ agent: 'a', id: '', limit: 10 })).toEqual([]);
});
