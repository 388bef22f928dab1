import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
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
  const seen = { changes: 0 };
  watchFile(file, () => void (seen.changes += 1), ended.signal);
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
  await sleep(600);
  expect(watching.seen.changes).toBe(2);
});

test('a file that comes, by a link that is turned round, and goes again', async () => {
  await mkdir(join(folder, 'one'));
  await symlink('one', join(folder, 'now'));
  using watching = watched(join(folder, 'now', 'gateway.yaml'));
  await writeFile(join(folder, 'one', 'gateway.yaml'), 'a');
  await expect.poll(() => watching.seen.changes).toBe(1);
  await mkdir(join(folder, 'two'));
  await writeFile(join(folder, 'two', 'gateway.yaml'), 'a');
  await symlink('two', join(folder, 'next'));
  await rename(join(folder, 'next'), join(folder, 'now'));
  await expect.poll(() => watching.seen.changes).toBe(2);
  await rm(join(folder, 'two'), { recursive: true });
  await expect.poll(() => watching.seen.changes).toBe(3);
});
