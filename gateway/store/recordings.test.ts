import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { createRecordings } from './recordings.ts';
import { removeOlder } from './retention.ts';

let database: Database;
beforeEach(async () => {
  database = await openDatabase(':memory:', 'crash');
});
afterEach(() => database.destroy());

const recorded = (...parts: string[]) => ({
  begunAt: 5,
  terminal: { cols: 90, rows: 20 },
  parts: parts.map((part) => Buffer.from(part)),
});

const of = (id: string, agent = 'coder') => ({ caller: 'c', id, agent });

async function partsOf(recordings: ReturnType<typeof createRecordings>, execution: string) {
  const found = await recordings.find('c', execution);
  if (found === undefined) return undefined;
  const parts: string[] = [];
  for await (const part of found.parts()) parts.push(Buffer.from(part).toString());
  return { begunAt: found.begunAt, terminal: found.terminal, parts };
}

test('what is saved is found as it was; a silent command has a recording, too', async () => {
  const recordings = createRecordings(database);
  void recordings.save(of('e'), recorded('one', 'two', 'three'));
  void recordings.save(of('silent'), { begunAt: 1, parts: [] });
  expect(await partsOf(recordings, 'e')).toEqual({
    ...{ begunAt: 5, terminal: { cols: 90, rows: 20 }, parts: ['one', 'two', 'three'] },
  });
  expect(await partsOf(recordings, 'silent')).toEqual({ begunAt: 1, terminal: undefined, parts: [''] });
  expect(await recordings.find('other', 'e')).toBeUndefined();
});

test('one that a kill has cut off is not there', async () => {
  const recordings = createRecordings(database);
  await recordings.save(of('e'), recorded('one', 'two'));
  await database.deleteFrom('recordings').where('part', '=', 0).execute();
  expect(await recordings.find('c', 'e')).toBeUndefined();
});

test('all of them together stay within their size: the oldest goes, whole', async () => {
  // Each has two parts, which count 256 bytes more than they have.
  const recordings = createRecordings(database, 10 * 2 * (500 + 256));
  for (let at = 0; at < 30; at += 1) {
    await recordings.save(of(`${at}`), recorded('x'.repeat(500), 'y'.repeat(500)));
    await database.updateTable('recordings').set({ saved_at: at }).where('execution', '=', `${at}`).execute();
  }
  await vi.waitFor(async () => {
    const rows = await database.selectFrom('recordings').selectAll().orderBy('saved_at').execute();
    expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(10_000);
    expect(rows[0]?.execution).toBe('20');
  });
});

test('A-410: recordings of one agent take nothing of who has less, and a part of none', async () => {
  const recordings = createRecordings(database, 10 * 2 * (500 + 256));
  const parts = ['x'.repeat(500), 'y'.repeat(500)];
  for (let at = 0; at < 4; at += 1) await recordings.save(of(`own ${at}`), recorded(...parts));
  for (let at = 0; at < 30; at += 1) await recordings.save(of(`${at}`, 'hog'), recorded(...parts));
  const left = database.selectFrom('recordings').select('part').where('agent', '=', 'hog');
  await vi.waitFor(async () => expect(await left.execute()).toHaveLength(6 * 2));
  for (let at = 0; at < 4; at += 1) expect((await partsOf(recordings, `own ${at}`))?.parts).toEqual(parts);
  expect((await partsOf(recordings, '29'))?.parts).toEqual(parts);
});

test('A-343 P25: one that is deleted while it is read does not end as if it were whole', async () => {
  const recordings = createRecordings(database);
  await recordings.save(of('e'), recorded('one', 'two', 'three'));
  const parts = (await recordings.find('c', 'e'))?.parts()[Symbol.asyncIterator]();
  expect((await parts?.next())?.value?.toString()).toBe('one');
  await database.deleteFrom('recordings').execute();
  await expect(parts?.next()).rejects.toThrow('was deleted while it was read');
});

test('goes when its time is over', async () => {
  const recordings = createRecordings(database);
  await recordings.save(of('e'), recorded('x', 'y'));
  await removeOlder(database, Date.now() + 1, new AbortController().signal);
  expect(await database.selectFrom('recordings').select('part').execute()).toEqual([]);
});
