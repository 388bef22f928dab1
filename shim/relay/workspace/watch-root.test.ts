import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchRoot } from './watch-root.ts';

const everyMs = 10;
const never = new AbortController().signal;
let dir: string;
let root: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-root-'));
  root = join(dir, 'root');
  await mkdir(root);
});
afterEach(() => rm(dir, { recursive: true }));

test('a folder that stays is watched in silence, whatever is in it', async () => {
  using watched = await watchRoot(root, never, everyMs);
  await writeFile(join(root, 'file'), '');
  await sleep(5 * everyMs);
  expect(watched.signal.aborted).toBe(false);
});

test.each([
  ['moved away', () => rename(root, join(dir, 'other'))],
  ['removed', () => rm(root, { recursive: true })],
  ['replaced', () => rename(root, join(dir, 'other')).then(() => mkdir(root))],
])('a folder that is %s is told', async (_how, change) => {
  using watched = await watchRoot(root, never, everyMs);
  await change();
  await expect.poll(() => watched.signal.aborted).toBe(true);
  expect(watched.signal.reason).toMatchObject({ message: 'another folder is at its path' });
});

test('one that comes is told, too; and who is not interested any more hears nothing', async () => {
  await rm(root, { recursive: true });
  const early = await watchRoot(root, never, everyMs);
  early[Symbol.dispose]();
  using watched = await watchRoot(root, never, everyMs);
  await mkdir(root);
  await expect.poll(() => watched.signal.aborted).toBe(true);
  expect(early.signal.aborted).toBe(false);
});
