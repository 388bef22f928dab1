import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordedOutput } from '../ports/recorded-output.ts';
import { type Database, openDatabase } from './database.ts';
import { createOutputs } from './outputs.ts';
import { removeOlder } from './retention.ts';

let database: Database;
beforeEach(async () => {
  database = await openDatabase(':memory:', 'crash');
});
afterEach(() => database.destroy());

const of = (id: string, agent = 'coder') => ({ caller: 'c', id, agent });

function output(text: string): RecordedOutput {
  const nothing = { head: Buffer.alloc(0), dropped: 0, tail: Buffer.alloc(0) };
  return {
    stdout: { head: Buffer.from(text), dropped: 2 ** 40, tail: Buffer.from([0, 255]) },
    stderr: nothing,
  };
}

test('what is saved is found as it was, and nothing else', async () => {
  const outputs = createOutputs(database);
  outputs.save(of('e'), output('\u0000text'));
  expect(await outputs.find('c', 'e')).toEqual(output('\u0000text'));
  expect(await outputs.find('other', 'e')).toBeUndefined();
});

test('all of it together stays within its size: the oldest goes', async () => {
  const outputs = createOutputs(database, 50_000);
  for (let index = 0; index < 200; index += 1) outputs.save(of(`${index}`), output('x'.repeat(1000)));
  expect(await outputs.find('c', '199')).toBeDefined();
  expect(await outputs.find('c', '0')).toBeUndefined();
  const rows = await database.selectFrom('outputs').select('bytes').execute();
  expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(50_000);
  expect(rows.length).toBeGreaterThan(25);
});

test('A-410: what one agent writes takes nothing of who has less; its own oldest goes', async () => {
  const outputs = createOutputs(database, 50_000);
  for (let index = 0; index < 10; index += 1) outputs.save(of(`own ${index}`), output('x'.repeat(1000)));
  for (let index = 0; index < 200; index += 1) outputs.save(of(`${index}`, 'hog'), output('x'.repeat(1000)));
  expect(await outputs.find('c', '199')).toBeDefined();
  for (let index = 0; index < 10; index += 1) expect(await outputs.find('c', `own ${index}`)).toBeDefined();
  const left = await database.selectFrom('outputs').select('execution').where('agent', '=', 'hog').execute();
  expect(left.map(({ execution }) => Number(execution)).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: left.length }, (_, at) => 200 - left.length + at),
  );
});

test('goes when its time is over', async () => {
  const outputs = createOutputs(database);
  outputs.save(of('e'), output('x'));
  await outputs.find('c', 'e');
  await removeOlder(database, Date.now() + 1, new AbortController().signal);
  expect(await outputs.find('c', 'e')).toBeUndefined();
});
