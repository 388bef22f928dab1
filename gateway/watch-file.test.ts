import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchFile } from './watch-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-watch-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function watched(file: string) {
  const ended = new AbortController();
  const seen = { changes: 0, errors: [] as string[] };
  const onError = (error: Error) => void seen.errors.push(error.message);
  watchFile(file, { onChange: () => void (seen.changes += 1), onError }, ended.signal);
  return { seen, [Symbol.dispose]: () => ended.abort() };
}

test('a file that is written in pieces changes once, a file that is replaced changes too, a neighbour does not', async () => {
  const file = join(folder, 'gateway.yaml');
  await writeFile(file, 'a');
  using watching = watched(file);
  for (const piece of ['b', 'bc', 'bcd']) {
    await writeFile(file, piece);
    await sleep(50);
  }
  await expect.poll(() => watching.seen.changes).toBe(1);
  await writeFile(join(folder, 'new'), 'e');
  await rename(join(folder, 'new'), file);
  await expect.poll(() => watching.seen.changes).toBe(2);
  await writeFile(join(folder, 'other'), 'f');
  await sleep(400);
  expect(watching.seen).toEqual({ changes: 2, errors: [] });
});

test('a folder that is not there is told', () => {
  using watching = watched(join(folder, 'none', 'gateway.yaml'));
  expect(watching.seen.errors).toEqual([expect.stringContaining('ENOENT')]);
});
